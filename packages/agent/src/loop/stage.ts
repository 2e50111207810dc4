import {
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

/** Fresh machines that must break in the same way before the agent's actions are the cause. */
const reproductions = 2;
/** Fresh machines that are tried before the fault is called `infra`: others may break for reasons of their own. */
const mostReplays = 8;

export interface StageOptions {
  /**
   * Reproduces faults on fresh machines. Leave it out where actions must not be carried out twice: every fault is then `infra`. A fresh
   * machine shares its browser with no other session: a neighbour that kills it again and again would look like this agent's own fault.
   */
  readonly reproduce?: boolean | undefined;
  /** Refuses actions while a person has the session, instead of throwing `held`: the loop waits for the person. */
  readonly awaited?: boolean | undefined;
  /** Once aborted, nothing is played again. */
  readonly signal?: AbortSignal | undefined;
  /** Receives each fault that was not the agent's, after a fresh machine has taken over. */
  readonly onRetry?: ((fault: GyreError) => void) | undefined;
}

/** The agent's own actions broke its page or machine: fresh ones break at the same step too. */
export class AgentFault extends Error {
  readonly part: Part | undefined;
  constructor(
    override readonly cause: GyreError,
    /** The actions that broke it, as far as they were valid. */
    readonly actions: readonly AgentAction[],
  ) {
    super(cause.message);
    this.name = 'AgentFault';
    this.part = cause.detail.part;
  }
}

/**
 * An environment that finds the cause of its faults. When a call fails, it plays the same steps on a fresh machine:
 *
 * - The same step breaks fresh machines too: the agent's actions are the cause, and `AgentFault` is thrown.
 * - It does not, and the screen before the step is the same, bit for bit: the fault was `infra`, and the task continues on the fresh
 *   machine as if nothing had happened.
 * - It does not, but the screen differs (a machine whose clock runs): the fault is thrown as `infra`.
 */
export class Stage extends EnvironmentWrapper {
  readonly #environment: Environment;
  readonly #options: StageOptions;
  #frame: Frame | undefined;
  /** The actions of each step so far. */
  #steps: (readonly AgentAction[])[] = [];
  #touched = false;

  constructor(environment: Environment, options: StageOptions = {}) {
    super(environment);
    this.#environment = environment;
    this.#options = options;
  }

  /** The screen after the last step. */
  get frame(): Frame {
    if (this.#frame) return this.#frame;
    throw new GyreError('bug', 'the stage has not been reset', { fix: 'reset it first' });
  }

  /** Starts the task. Throws what the environment throws: nothing has been done that the agent could have caused. */
  override async reset(options?: ResetOptions): Promise<Frame> {
    this.#steps = [];
    this.#touched = false;
    return (this.#frame = await this.#environment.reset(options));
  }

  /** Throws `AgentFault`, `infra`, and errors that are a bug. */
  override async step(actions: readonly AgentAction[], options?: StepOptions): Promise<StepResult> {
    const result = await this.#perform(actions, () => this.#carryOut(actions, options));
    this.#steps.push(result.actions);
    this.#frame = result.observation;
    return result;
  }

  /** Throws as `step` does. */
  override verdict(): Promise<Verdict | undefined> {
    return this.#perform([], () => this.#environment.verdict());
  }

  /** Throws as `step` does. */
  override oracle(): Promise<OracleTurn> {
    return this.#perform([], () => super.oracle());
  }

  /** Captures the screen after a person may have used the session: what follows cannot be reproduced from the steps. */
  override async observe(): Promise<Frame> {
    this.#touched = true;
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

  /** Plays the steps so far on fresh machines, then the call that failed. */
  async #reproduce<T>(fault: GyreError, actions: readonly AgentAction[], call: () => Promise<T>): Promise<T> {
    const { reproduce, signal, onRetry } = this.#options;
    // A person's part cannot be reproduced, and before its first action the agent has caused nothing.
    if (!reproduce || this.#touched || this.#steps.length + actions.length === 0) throw fault;
    let same = 0;
    for (let tries = 0; tries < mostReplays; tries++) {
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
        // It broke elsewhere, or otherwise: that says nothing about this step.
        if (isBefore || error.code !== fault.code || error.detail.part !== fault.detail.part) continue;
        if (++same === reproductions) throw new AgentFault(error, valid(actions));
      }
    }
    throw asInfra(fault);
  }

  /** Carries out the steps so far on a fresh machine. Returns the screen after them. */
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

/** Returns the actions up to the first that is malformed. */
function valid(actions: readonly AgentAction[]): AgentAction[] {
  const parsed = actions.map((action) => AgentAction.safeParse(action));
  const end = parsed.findIndex(({ success }) => !success);
  return parsed.slice(0, end < 0 ? parsed.length : end).flatMap(({ data }) => data ?? []);
}

/** Parts that an agent cannot reach from its session. */
const elsewhere: ReadonlySet<Part | undefined> = new Set<Part>(['network', 'model_server', 'policy']);
const codes: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['infra', 'storage', 'missing', 'corrupt', 'bad_input']);

/**
 * Tells whether the agent's actions can have led to an error of a session or of its verifier. A verifier that refuses (`bad_input`) has
 * found a state that no honest play leads to; a `bug` or a plain error is gyre's own.
 */
function isOfSession(error: unknown): error is GyreError {
  return error instanceof GyreError && codes.has(error.code) && !elsewhere.has(error.detail.part);
}

function asInfra(fault: GyreError): GyreError {
  if (fault.code === 'infra') return fault;
  const part = fault.detail.part ?? 'machine';
  return new GyreError('infra', fault.message, { ...fault.detail, part, cause: fault });
}
