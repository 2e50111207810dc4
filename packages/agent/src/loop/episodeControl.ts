import { type Environment, GyreError } from '@gyre/protocol';

export type ControlState = 'running' | 'paused' | 'taken' | 'ended';

type Verb = 'pause' | 'resume' | 'takeOver' | 'handBack' | 'stop';

/** Next states. */
const transitions: Readonly<Record<Verb, Readonly<Partial<Record<ControlState, ControlState>>>>> = {
  pause: { running: 'paused' },
  resume: { paused: 'running' },
  takeOver: { running: 'taken', paused: 'taken' },
  handBack: { taken: 'running' },
  stop: { running: 'ended', paused: 'ended', taken: 'ended' },
};

/** In ms: unused leases expire during a wait. */
const lookEveryMs = 60_000;

export interface Wait {
  readonly ms: number;
  readonly by: readonly string[];
}

/**
 * Pauses, takes over or stops an episode of `runEpisode` after the current turn. A person's actions are not turns;
 * afterwards the policy sees the screen and their name. Also waits for take-overs in the live view. Verbs throw
 * `bad_input` in a wrong state.
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

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  pause(): void {
    this.#go('pause');
  }

  resume(): void {
    this.#go('resume');
  }

  /** Drops a pending decision; the episode ends as `cut`. */
  stop(): void {
    this.#go('stop');
    this.#answer(false);
    this.#stop.abort();
  }

  /** @returns false if the episode ended or the session was handed back first. */
  takeOver(by: string): Promise<boolean> {
    this.#by = by;
    this.#go('takeOver');
    return new Promise((resolve) => this.#asking.push(resolve));
  }

  handBack(): void {
    this.#answer(false);
    this.#go('handBack');
  }

  end(): void {
    this.#state = 'ended';
    this.#answer(false);
  }

  /** Waits while paused or taken over; called by the loop. Resolves to undefined without a wait. */
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
      throw new GyreError('bad_input', `cannot ${verb} an episode that is ${this.#state}`, {
        field: 'control',
        fix: `${verb} only an episode that is ${states}`,
      });
    }
    this.#state = to;
    this.#wake();
  }

  #answer(has: boolean): void {
    for (const resolve of this.#asking.splice(0)) resolve(has);
  }
}
