import { type AgentAction, type Environment, GyreError, type Turn } from '@gyre/protocol';

export type ControlState = 'running' | 'paused' | 'taken' | 'ended';

type Verb = 'pause' | 'resume' | 'step' | 'takeOver' | 'act' | 'handBack' | 'stop';

/** Next states. */
const transitions: Readonly<Record<Verb, Readonly<Partial<Record<ControlState, ControlState>>>>> = {
  pause: { running: 'paused' },
  resume: { paused: 'running' },
  step: { paused: 'running' },
  takeOver: { running: 'taken', paused: 'taken' },
  act: { taken: 'taken' },
  handBack: { taken: 'running' },
  stop: { running: 'ended', paused: 'ended', taken: 'ended' },
};

/** In ms: unused leases expire during a wait. */
const lookEveryMs = 60_000;

export interface Wait {
  readonly ms: number;
  readonly by: readonly string[];
  /** Number of turns that people took by `act`. */
  readonly turns: number;
  /** A person's turn ended the episode. */
  readonly isOver: boolean;
  /** For the policy, by the person who handed it back. */
  readonly note?: string | undefined;
}

/** A turn that a person took, and whether it ended the episode. */
export interface PersonTurn {
  readonly turn: Turn;
  readonly done: boolean;
}

type TakeTurn = (by: string, actions: readonly AgentAction[]) => Promise<PersonTurn>;

interface ActRequest {
  readonly actions: readonly AgentAction[];
  readonly resolve: (turn: PersonTurn) => void;
  readonly reject: (error: unknown) => void;
}

export interface EpisodeControlOptions {
  /** Plays the whole episode, or all but its replayed turns: they have it, and it is never handed back. */
  readonly player?: string | undefined;
  /** Turns of a fork that are replayed before the player has it. Default: 0. */
  readonly after?: number | undefined;
}

type Controlled = Pick<Environment, 'holder' | 'observe'>;

/**
 * Pauses, takes over or stops an episode of `runEpisode` after the current turn. Actions of `act` are turns of the
 * person; afterwards the policy sees the screen and their name. Also waits for take-overs of the session itself, whose
 * actions are no turns. Verbs throw `bad_input` in a wrong state.
 */
export class EpisodeControl {
  readonly player: string | undefined;
  readonly #stop = new AbortController();
  #state: ControlState = 'running';
  /** Turns that are still replayed. */
  #replayed: number;
  #by = '';
  #note: string | undefined;
  #isStepping = false;
  #asking: ((has: boolean) => void)[] = [];
  #acts: ActRequest[] = [];
  #wake: () => void = () => undefined;
  #observe: (() => Promise<Uint8Array>) | undefined;

  constructor({ player, after = 0 }: EpisodeControlOptions = {}) {
    this.player = player;
    this.#replayed = player === undefined ? 0 : after;
    if (player === undefined) return;
    this.#by = player;
    if (after === 0) this.#state = 'taken';
  }

  get state(): ControlState {
    return this.#state;
  }

  /** Name of the person who has taken it over, or is about to. */
  get by(): string | undefined {
    return this.#state === 'taken' ? this.#by : undefined;
  }

  /** Whether it waits, so that the policy does nothing. */
  get isWaiting(): boolean {
    return this.#observe !== undefined;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  pause(): void {
    this.#isStepping = false;
    this.#go('pause');
  }

  /** Lets the policy take one turn, and pauses again. */
  step(): void {
    this.#go('step');
    this.#isStepping = true;
  }

  resume(): void {
    this.#go('resume');
  }

  /** Drops a pending decision; the episode ends as `cut`. */
  stop(): void {
    this.#go('stop');
    this.#release();
    this.#stop.abort();
  }

  /** @returns false if the episode ended or the session was handed back first. */
  takeOver(by: string): Promise<boolean> {
    this.#go('takeOver');
    this.#by = by;
    this.#isStepping = false;
    return new Promise((resolve) => this.#asking.push(resolve));
  }

  /**
   * Takes a turn of the person, in the order of the calls. Rejects with `bad_input` if it is handed back or ends before.
   */
  async act(actions: readonly AgentAction[]): Promise<PersonTurn> {
    this.#go('act');
    return new Promise((resolve, reject) => {
      this.#acts.push({ actions, resolve, reject });
      this.#wake();
    });
  }

  /** @param note tells the policy something, with its next turn. */
  handBack(note?: string): void {
    if (this.player !== undefined) {
      throw new GyreError('bad_input', `the episode is played by ${this.player} alone`, {
        field: 'control',
        fix: 'finish it, or stop it',
      });
    }
    this.#go('handBack');
    this.#note = note;
    this.#release();
  }

  end(): void {
    this.#state = 'ended';
    this.#release();
  }

  /**
   * Returns the screen as it is now, while the episode waits.
   *
   * @throws GyreError `bad_input` while the policy has it
   */
  async screen(): Promise<Uint8Array> {
    if (this.#observe) return this.#observe();
    throw new GyreError('bad_input', `an episode that is ${this.#state} shows its screen after each turn only`, {
      field: 'control',
      fix: 'pause it or take it over',
    });
  }

  /** Waits while paused or taken over; called by the loop. Resolves to undefined without a wait. */
  async settle(environment: Controlled, takeTurn?: TakeTurn): Promise<Wait | undefined> {
    const began = performance.now();
    const by: string[] = [];
    let turns = 0;
    let waited = false;
    let isOver = false;
    if (this.#isStepping && this.#state === 'running') this.#state = 'paused';
    this.#isStepping = false;
    if (takeTurn && this.player !== undefined && this.#state === 'running') {
      if (this.#replayed === 0) this.#state = 'taken';
      else this.#replayed--;
    }
    while (this.#state !== 'ended' && !isOver) {
      const holder = this.by ?? environment.holder?.holder;
      if (this.#state === 'running' && holder === undefined) break;
      // Before its first turn, an episode is not recorded yet.
      if (this.#state === 'taken' && !takeTurn && this.#acts.length > 0) break;
      if (holder !== undefined && holder !== by.at(-1)) by.push(holder);
      if (this.#state === 'taken') this.#answer(true);
      waited = true;
      const request = takeTurn && this.#acts.shift();
      if (!request) {
        await this.#changed(environment);
        continue;
      }
      turns++;
      isOver = await this.#carryOut(request, takeTurn);
    }
    const note = this.#note;
    this.#note = undefined;
    return waited ? { ms: performance.now() - began, by, turns, isOver, note } : undefined;
  }

  async #carryOut({ actions, resolve, reject }: ActRequest, takeTurn: TakeTurn): Promise<boolean> {
    try {
      const taken = await takeTurn(this.#by, actions);
      resolve(taken);
      return taken.done;
    } catch (error) {
      reject(error);
      throw error;
    }
  }

  async #changed(environment: Controlled): Promise<void> {
    let unlisten: (() => void) | undefined;
    let timer: NodeJS.Timeout | undefined;
    let observing: Promise<unknown> = Promise.resolve();
    // Calls of an environment must not overlap.
    this.#observe = () => {
      const frame = observing.then(() => environment.observe());
      observing = frame.catch(() => undefined);
      return frame.then(({ png }) => png);
    };
    const changed = await new Promise<boolean>((resolve) => {
      this.#wake = () => resolve(true);
      unlisten = environment.holder?.listen(() => resolve(true));
      timer = setTimeout(() => resolve(false), lookEveryMs);
    });
    clearTimeout(timer);
    unlisten?.();
    this.#observe = undefined;
    await observing;
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

  #release(): void {
    this.#answer(false);
    for (const { reject } of this.#acts.splice(0)) {
      reject(new GyreError('bad_input', 'the episode was given back before this action', { field: 'control' }));
    }
  }
}
