import { type Environment, GyreError } from '@gyre/protocol';

/** `taken`: a person has the session. */
export type ControlState = 'running' | 'paused' | 'taken' | 'ended';

type Verb = 'pause' | 'resume' | 'takeOver' | 'handBack' | 'stop';

/** Next states by verb and current state. */
const transitions: Readonly<Record<Verb, Readonly<Partial<Record<ControlState, ControlState>>>>> = {
  pause: { running: 'paused' },
  resume: { paused: 'running' },
  takeOver: { running: 'taken', paused: 'taken' },
  handBack: { taken: 'running' },
  stop: { running: 'ended', paused: 'ended', taken: 'ended' },
};

/** Interval between screenshots during a wait, in ms: an unused lease expires. */
const lookEveryMs = 60_000;

export interface Wait {
  readonly ms: number;
  /** Persons who had the session. */
  readonly by: readonly string[];
}

/**
 * Pauses, takes over or stops one episode of `runEpisode`. Takes effect after the current turn. A person's actions are
 * not turns; afterwards the policy sees the screen and their name. Also waits for take-overs through the live view.
 * Verbs throw `bad_input` in a wrong state.
 */
export class EpisodeControl {
  readonly #stop = new AbortController();
  #state: ControlState = 'running';
  #by = '';
  #asking: ((has: boolean) => void)[] = [];
  #wake: () => void = () => undefined;

  get state(): ControlState {
    return this.#state;
  }

  /** Aborted by `stop`. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Stops the policy after the current turn. */
  pause(): void {
    this.#go('pause');
  }

  resume(): void {
    this.#go('resume');
  }

  /** Ends the episode as `cut`, dropping a pending decision. */
  stop(): void {
    this.#go('stop');
    this.#answer(false);
    this.#stop.abort();
  }

  /**
   * Requests the session for a person.
   *
   * @param by name reported to the policy and in the verdict.
   * @returns true once granted; false if the episode ended or it was handed back first.
   */
  takeOver(by: string): Promise<boolean> {
    this.#by = by;
    this.#go('takeOver');
    return new Promise((resolve) => this.#asking.push(resolve));
  }

  /** Lets the policy continue. */
  handBack(): void {
    this.#answer(false);
    this.#go('handBack');
  }

  /** Called by the loop at the end. */
  end(): void {
    this.#state = 'ended';
    this.#answer(false);
  }

  /**
   * Called by the loop after a step: waits while paused or taken over. Undefined if it did not wait. Rethrows errors of
   * `observe`.
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

  /** Waits for a change of state or holder, or the next check. */
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
