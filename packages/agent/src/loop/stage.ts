import {
  type Advice,
  AgentAction,
  type Environment,
  EnvironmentWrapper,
  type ErrorCode,
  type Frame,
  GyreError,
  type OracleTurn,
  type Part,
  type ResetOptions,
  type StepOptions,
  type StepResult,
  type Verdict,
} from '@gyre/protocol';

/** Equal failures of fresh machines that blame the agent. */
const reproductions = 2;
/** Some fresh machines may break for other reasons. */
const maxReplays = 8;

export interface StageOptions {
  /**
   * Omit it if actions must not be repeated: every fault is then `infra`. Fresh machines share no browser, since a
   * destructive neighbour would look like the agent's fault.
   */
  readonly reproduce?: boolean | undefined;
  /** Refuses actions instead of throwing `held`. */
  readonly awaited?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called for each survived fault. */
  readonly onRetry?: ((fault: GyreError) => void) | undefined;
}

/** The agent's actions broke its session, and fresh ones at the same step. */
export class AgentFault extends Error {
  readonly part: Part | undefined;
  constructor(
    override readonly cause: GyreError,
    readonly actions: readonly AgentAction[],
  ) {
    super(cause.message);
    this.name = 'AgentFault';
    this.part = cause.detail.part;
  }
}

/**
 * Attributes faults by replaying the steps on a fresh machine:
 * - The same step fails again: throws `AgentFault`.
 * - It succeeds from a bit-identical screen: an `infra` fault; the task continues there.
 * - It succeeds from a different screen (a running clock): throws `infra`.
 */
export class Stage extends EnvironmentWrapper {
  readonly #environment: Environment;
  readonly #options: StageOptions;
  #frame: Frame | undefined;
  #steps: (readonly AgentAction[])[] = [];
  #touched = false;

  constructor(environment: Environment, options: StageOptions = {}) {
    super(environment);
    this.#environment = environment;
    this.#options = options;
  }

  get frame(): Frame {
    if (this.#frame) return this.#frame;
    throw new GyreError('bug', 'the stage has not been reset', { fix: 'call reset first' });
  }

  override async reset(options?: ResetOptions): Promise<Frame> {
    this.#steps = [];
    this.#touched = false;
    return (this.#frame = await this.#environment.reset(options));
  }

  /** Throws `AgentFault`, `infra`, and bugs. */
  override async step(actions: readonly AgentAction[], options?: StepOptions): Promise<StepResult> {
    const result = await this.#perform(actions, () => this.#carryOut(actions, options));
    this.#steps.push(result.actions);
    this.#frame = result.observation;
    return result;
  }

  override verdict(): Promise<Verdict | undefined> {
    return this.#perform([], () => this.#environment.verdict());
  }

  override oracle(): Promise<OracleTurn> {
    return this.#perform([], () => super.oracle());
  }

  override advise(): Promise<Advice | undefined> {
    return this.#perform([], () => super.advise());
  }

  /** Tells that a person acts: later faults may be theirs, and are attributed to nobody. */
  touch(): void {
    this.#touched = true;
  }

  /** Captures a person's changes, which cannot be replayed. */
  override async observe(): Promise<Frame> {
    this.touch();
    return (this.#frame = await this.#environment.observe());
  }

  async #perform<T>(actions: readonly AgentAction[], call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!isOfSession(error)) throw error;
      return this.#reproduce(error, actions, call);
    }
  }

  async #reproduce<T>(fault: GyreError, actions: readonly AgentAction[], call: () => Promise<T>): Promise<T> {
    const { reproduce, signal, onRetry } = this.#options;
    // A person's part cannot be replayed; before its first action the agent has caused nothing.
    if (this.#touched) throw asInfra(fault);
    if (!reproduce || this.#steps.length + actions.length === 0) throw fault;
    let same = 0;
    for (let tries = 0; tries < maxReplays; tries++) {
      if (signal?.aborted) break;
      let isBefore = true;
      try {
        const isSameScreen = (await this.#replay()).hash === this.frame.hash;
        isBefore = false;
        const result = await call();
        if (!isSameScreen) break;
        onRetry?.(fault);
        return result;
      } catch (error) {
        if (!isOfSession(error)) throw error;
        // A different failure says nothing about this step.
        if (isBefore || error.code !== fault.code || error.detail.part !== fault.detail.part) continue;
        if (++same === reproductions) throw new AgentFault(error, valid(actions));
      }
    }
    throw asInfra(fault);
  }

  async #replay(): Promise<Frame> {
    let frame = await this.#environment.reset({ fresh: true });
    for (const actions of this.#steps) frame = (await this.#carryOut(actions)).observation;
    return frame;
  }

  async #carryOut(actions: readonly AgentAction[], options?: StepOptions): Promise<StepResult> {
    const result = await this.#environment.step(actions, options);
    if (result.refusal?.code === 'held' && !this.#options.awaited) throw result.refusal;
    return result;
  }
}

function valid(actions: readonly AgentAction[]): AgentAction[] {
  const parsed = actions.map((action) => AgentAction.safeParse(action));
  const end = parsed.findIndex(({ success }) => !success);
  return parsed.slice(0, end < 0 ? parsed.length : end).flatMap(({ data }) => data ?? []);
}

/** Parts out of the agent's reach. */
const elsewhere: ReadonlySet<Part | undefined> = new Set<Part>([
  'network',
  'model_server',
  'policy',
  // An official evaluator that throws gives no score.
  'benchmark',
]);
const codes: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['infra', 'storage', 'missing', 'corrupt', 'bad_input']);

/**
 * Returns whether the agent can have caused the error. A verifier's `bad_input` means a state that honest play cannot
 * reach; a `bug` or plain error is gyre's own.
 */
function isOfSession(error: unknown): error is GyreError {
  return error instanceof GyreError && codes.has(error.code) && !elsewhere.has(error.detail.part);
}

function asInfra(fault: GyreError): GyreError {
  if (fault.code === 'infra') return fault;
  const part = fault.detail.part ?? 'machine';
  return new GyreError('infra', fault.message, { ...fault.detail, part, cause: fault });
}
