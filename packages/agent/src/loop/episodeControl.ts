import { type Environment, GyreError } from '@gyre/protocol';

/** The policy plays; it waits; a person has the session; the episode is over. */
export type ControlState = 'running' | 'paused' | 'taken' | 'ended';

type Verb = 'pause' | 'resume' | 'takeOver' | 'handBack' | 'stop';

/** The states in which each verb is allowed, and the state after it. */
const transitions: Readonly<Record<Verb, Readonly<Partial<Record<ControlState, ControlState>>>>> = {
  pause: { running: 'paused' },
  resume: { paused: 'running' },
  takeOver: { running: 'taken', paused: 'taken' },
  handBack: { taken: 'running' },
  stop: { running: 'ended', paused: 'ended', taken: 'ended' },
};

/** Interval between screenshots while an episode waits, in ms: an unused lease runs out. */
const lookEveryMs = 60_000;

/** A pause of an episode. */
export interface Wait {
  readonly ms: number;
  /** The persons who had the session meanwhile. */
  readonly by: readonly string[];
}

/**
 * Pauses, takes over and stops one running episode: pass it to `runEpisode`. A pause and a take-over begin after the turn in progress. A
 * person's actions are no turn of the policy, which sees the screen afterwards and who has used it. The episode also waits for a person who
 * takes the session over by its live view. All verbs throw `bad_input` where the state does not allow them.
 */
export class EpisodeControl {
  readonly #stop = new AbortController();
  #state: ControlState = 'running';
  /** The person who has the session while it is taken. */
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

  /** Stops the policy after the turn in progress. */
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

  /** Lets the policy continue from the screen as it is. */
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
   * For the loop, after a step: waits while the episode is paused or a person has the session. Returns undefined where it did not wait.
   * Throws what `observe` throws where the session dies meanwhile.
   */
  async settle(environment: Pick<Environment, 'holder' | 'observe'>): Promise<Wait | undefined> {
    const began = performance.now();
    const by: string[] = [];
    let waited = false;
    while (this.#state !== 'ended') {
      const holder = this.#state === 'taken' ? this.#by : environment.holder?.holder;
      if (this.#state === 'running' && holder === undefined) break;
      if (holder !== undefined && holder !== by.at(-1)) by.push(holder);
      if (this.#state === 'taken') this.#answer(true);
      waited = true;
      await this.#changed(environment);
    }
    return waited ? { ms: performance.now() - began, by } : undefined;
  }

  /** Waits until the state or the holder changes, or it is time to look again. */
  async #changed(environment: Pick<Environment, 'holder' | 'observe'>): Promise<void> {
    let unlisten: (() => void) | undefined;
    let timer: NodeJS.Timeout | undefined;
    const changed = await new Promise<boolean>((resolve) => {
      this.#wake = () => resolve(true);
      unlisten = environment.holder?.listen(() => resolve(true));
      timer = setTimeout(() => resolve(false), lookEveryMs);
    });
    clearTimeout(timer);
    unlisten?.();
    if (!changed) await environment.observe();
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
