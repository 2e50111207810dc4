import { GyreError } from '@gyre/protocol';
import type { SessionControl, Session } from '@gyre/sandbox';

/** An episode as somebody steers it: the policy plays; it waits; a person has the session; it is over. */
export type ControlState = 'running' | 'paused' | 'taken' | 'ended';

type Verb = 'pause' | 'resume' | 'takeOver' | 'handBack' | 'stop';

/** What can be asked for in which state, and the state after it. Anything else is refused. */
const transitions: Readonly<Record<Verb, Readonly<Partial<Record<ControlState, ControlState>>>>> = {
  pause: { running: 'paused' },
  resume: { paused: 'running' },
  takeOver: { running: 'taken', paused: 'taken' },
  handBack: { taken: 'running' },
  stop: { running: 'ended', paused: 'ended', taken: 'ended' },
};

/** While an episode waits its screen is looked at so often, in ms: a lease that nobody uses runs out. */
const lookEveryMs = 60_000;

/** That an episode waited. */
export interface Wait {
  readonly ms: number;
  /** Who had the session meanwhile. */
  readonly by: readonly string[];
}

/**
 * By which somebody steers one running episode: hand it to `runEpisode` and call it. A pause and a take-over begin when the turn in
 * progress has been carried out; what a person does meanwhile is no turn of the policy, which sees the screen as it then is and is told
 * who has used it. A session that a person takes over by its live view is waited for as well. All verbs throw `bad_input` where the
 * state does not allow them.
 */
export class EpisodeControl {
  readonly #stop = new AbortController();
  #state: ControlState = 'running';
  /** Who has the session while it is taken. */
  #by = '';
  #asking: ((has: boolean) => void)[] = [];
  #wake: () => void = () => undefined;

  get state(): ControlState {
    return this.#state;
  }

  /** Aborted when the episode is to stop. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The policy waits from the end of the turn in progress on. */
  pause(): void {
    this.#go('pause');
  }

  resume(): void {
    this.#go('resume');
  }

  /** Ends the episode as `cut`; a decision in progress is dropped. */
  stop(): void {
    this.#go('stop');
    this.#answer(false);
    this.#stop.abort();
  }

  /**
   * Asks for the session for a person.
   *
   * @param by the person's name, as the policy and the verdict are told.
   * @returns true once the person has it; false where the episode ended before, or it was handed back before.
   */
  takeOver(by: string): Promise<boolean> {
    this.#by = by;
    this.#go('takeOver');
    return new Promise((resolve) => this.#asking.push(resolve));
  }

  /** The policy goes on, from the screen as it is. */
  handBack(): void {
    this.#answer(false);
    this.#go('handBack');
  }

  /** For the loop: the episode is over. */
  end(): void {
    this.#state = 'ended';
    this.#answer(false);
  }

  /**
   * For the loop, when the actions of a turn were carried out: waits while somebody has paused it or has the session. Returns undefined
   * where that was not so. Throws what the session throws that dies meanwhile.
   */
  async settle(session: Session): Promise<Wait | undefined> {
    const began = performance.now();
    const by: string[] = [];
    let waited = false;
    while (this.#state !== 'ended') {
      const holder = this.#state === 'taken' ? this.#by : controlOf(session)?.holder;
      if (this.#state === 'running' && holder === undefined) break;
      if (holder !== undefined && holder !== by.at(-1)) by.push(holder);
      if (this.#state === 'taken') this.#answer(true);
      waited = true;
      await this.#changed(session);
    }
    return waited ? { ms: performance.now() - began, by } : undefined;
  }

  /** Waits until the state is another, or the session has another holder, or it is time to look again. */
  async #changed(session: Session): Promise<void> {
    let unlisten: (() => void) | undefined;
    let timer: NodeJS.Timeout | undefined;
    const changed = await new Promise<boolean>((resolve) => {
      this.#wake = () => resolve(true);
      unlisten = controlOf(session)?.listen(() => resolve(true));
      timer = setTimeout(() => resolve(false), lookEveryMs);
    });
    clearTimeout(timer);
    unlisten?.();
    if (!changed) await session.screen.observe();
  }

  #go(verb: Verb): void {
    const to = transitions[verb][this.#state];
    if (to === undefined) {
      const states = Object.keys(transitions[verb]).join(' or ');
      throw new GyreError('bad_input', `an episode that is ${this.#state} cannot ${verb}`, {
        field: 'control',
        fix: `${verb} is for one that is ${states}`,
      });
    }
    this.#state = to;
    this.#wake();
  }

  #answer(has: boolean): void {
    for (const resolve of this.#asking.splice(0)) resolve(has);
  }
}

/** By which a person takes a session over, where it has that. */
function controlOf(session: Session): SessionControl | undefined {
  return (session as Session & { readonly control?: SessionControl }).control;
}
