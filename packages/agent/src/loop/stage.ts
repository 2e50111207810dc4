import {
  type ActionResult,
  AgentAction,
  type ErrorCode,
  GyreError,
  type Part,
  type Surface,
  type Verdict,
} from '@gyre/protocol';
import type { Frame, Session } from '@gyre/sandbox';
import { type CarriedOut, carryOut } from './carryOut.js';
import type { Decision } from '../policy/policy.js';
import type { SearchService } from '../tools/searchService.js';
import type { Solution, TaskRun } from './taskRun.js';

/** Fresh sessions that must break in the same way before the agent's actions are the cause. */
const reproductions = 2;
/** Fresh sessions that are tried before the fault is called `infra`: others may break for reasons of their own. */
const mostReplays = 8;

export interface StageOptions {
  readonly session: Session;
  /** Resets a session to the task's start. */
  readonly start: (session: Session) => Promise<TaskRun>;
  readonly surfaces: readonly Surface[];
  readonly search?: SearchService | undefined;
  /** See `carryOut`. */
  readonly awaited?: boolean | undefined;
  /**
   * Gives up the broken session and leases a fresh one like it, which other sessions cannot break: with a shared browser, one that a
   * neighbour kills again and again would look like this agent's own fault. Without it every fault of the session is `infra`.
   */
  readonly replace?: (() => Promise<Session>) | undefined;
  /** Once aborted, nothing is played again. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each fault that was not the agent's, after a fresh session has taken over. */
  readonly onRetry?: ((fault: GyreError) => void) | undefined;
}

/** What one turn came to. */
export interface Acted extends CarriedOut {
  /** The screen after the actions. */
  readonly frame: Frame;
  readonly reward: number;
  readonly done: boolean;
}

/** The agent's own actions broke its page or machine: fresh sessions break at the same turn too. */
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
 * A task in progress in a session. When the session breaks, it plays the same turns in a fresh one to find the cause:
 *
 * - The same turn breaks fresh sessions too: the agent's actions are the cause, and `AgentFault` is thrown.
 * - It does not, and the screen before the turn is the same, bit for bit: the fault was `infra`, and the task continues in the fresh
 *   session as if nothing had happened.
 * - It does not, but the screen differs (a machine whose clock runs): the fault is thrown as `infra`.
 */
export class Stage {
  readonly #options: StageOptions;
  #session: Session;
  #run: TaskRun;
  #frame: Frame;
  /** The actions of each turn so far. */
  readonly #turns: (readonly AgentAction[])[] = [];
  #touched = false;

  private constructor(options: StageOptions, run: TaskRun, frame: Frame) {
    this.#options = options;
    this.#session = options.session;
    this.#run = run;
    this.#frame = frame;
  }

  /**
   * Starts the task. Throws what the session throws: nothing has been done that the agent could have caused.
   *
   * @param ready waits until the session may be used, before the first screenshot.
   */
  static async open(options: StageOptions, ready?: () => Promise<unknown>): Promise<Stage> {
    const run = await options.start(options.session);
    await ready?.();
    return new Stage(options, run, await options.session.screen.observe());
  }

  get session(): Session {
    return this.#session;
  }

  get instruction(): string | undefined {
    return this.#run.instruction;
  }

  /** The screen after the last turn. */
  get frame(): Frame {
    return this.#frame;
  }

  /**
   * Carries out a turn, then reads its reward. Throws `AgentFault`, `infra`, and what is a bug.
   *
   * @param onFrame is called with the screen after the actions, before the reward is read.
   */
  async act(
    decision: Pick<Decision, 'actions' | 'notices' | 'refused'>,
    onFrame?: (frame: Frame) => void,
  ): Promise<Acted> {
    const { surfaces, search, awaited } = this.#options;
    const acted = await this.#perform(decision.actions, async (session, run) => {
      const carried = await carryOut(decision, session, surfaces, { search, awaited });
      const { frame, notices } = await look(session);
      onFrame?.(frame);
      const results = [...carried.results, ...notices];
      return { ...carried, results, frame, ...(await run.step(saidFinished(carried.actions))) };
    });
    this.#turns.push(acted.actions);
    this.#frame = acted.frame;
    return acted;
  }

  /** Returns the verdict on the state as it is now. Throws as `act` does. */
  verdict(): Promise<Verdict | undefined> {
    return this.#perform([], (_, run) => run.verdict());
  }

  /** Returns the scripted solution's next turn. Throws as `act` does. */
  oracle(): ReturnType<Solution['oracle']> {
    return this.#perform([], (_, run) => run.oracle());
  }

  /** Looks again after a person has used the session: what follows cannot be played again from the turns. */
  async look(): Promise<Frame> {
    this.#touched = true;
    return (this.#frame = await this.#session.screen.observe());
  }

  /** Reads whether the task is over after a person has used the session. */
  async isOver(): Promise<boolean> {
    return (await this.#run.step()).done;
  }

  async #perform<T>(actions: readonly AgentAction[], work: (session: Session, run: TaskRun) => Promise<T>): Promise<T> {
    try {
      return await work(this.#session, this.#run);
    } catch (error) {
      if (!isOfSession(error)) throw error;
      return this.#again(error, actions, work);
    }
  }

  /** Plays the turns so far in fresh sessions, then the work that failed. */
  async #again<T>(
    fault: GyreError,
    actions: readonly AgentAction[],
    work: (session: Session, run: TaskRun) => Promise<T>,
  ): Promise<T> {
    const { replace, signal, start, onRetry } = this.#options;
    // A person's part cannot be played again, and before its first turn the agent has caused nothing.
    if (!replace || this.#touched || this.#turns.length + actions.length === 0) throw fault;
    let same = 0;
    for (let tries = 0; tries < mostReplays; tries++) {
      if (signal?.aborted) break;
      let isBefore = true;
      try {
        this.#session = await replace();
        this.#run = await start(this.#session);
        const isSameScreen = (await this.#replay()).hash === this.#frame.hash;
        isBefore = false;
        const result = await work(this.#session, this.#run);
        if (!isSameScreen) break;
        onRetry?.(fault);
        return result;
      } catch (error) {
        if (!isOfSession(error)) throw error;
        // It broke elsewhere, or otherwise: that says nothing about this turn.
        if (isBefore || error.code !== fault.code || error.detail.part !== fault.detail.part) continue;
        if (++same === reproductions) throw new AgentFault(error, valid(actions));
      }
    }
    throw asInfra(fault);
  }

  /** Carries out the turns so far. Resolves to the screen after them. */
  async #replay(): Promise<Frame> {
    const { surfaces, search, awaited } = this.#options;
    const [session, run] = [this.#session, this.#run];
    let frame = await session.screen.observe();
    for (const actions of this.#turns) {
      await carryOut({ actions }, session, surfaces, { search, awaited });
      ({ frame } = await look(session));
      await run.step(saidFinished(actions));
    }
    return frame;
  }
}

/** The screen, and what it need not show. */
async function look({ screen }: Session): Promise<{ frame: Frame; notices: ActionResult[] }> {
  const frame = await screen.observe();
  return { frame, notices: (screen.notices?.() ?? []).map((text) => ({ kind: 'notice', text })) };
}

/** The actions up to the first that is malformed. */
function valid(actions: readonly AgentAction[]): AgentAction[] {
  const parsed = actions.map((action) => AgentAction.safeParse(action));
  const end = parsed.findIndex(({ success }) => !success);
  return parsed.slice(0, end < 0 ? parsed.length : end).flatMap(({ data }) => data ?? []);
}

const saidFinished = (actions: readonly AgentAction[]) => actions.find((action) => action.type === 'finished');

/** Parts that an agent cannot reach from its session. */
const elsewhere: ReadonlySet<Part | undefined> = new Set<Part>(['network', 'model_server', 'policy']);
const codes: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['infra', 'storage', 'missing', 'corrupt', 'bad_input']);

/**
 * Whether an error of a session or of the verifier that reads it can be what the agent's actions have led to. A verifier that refuses
 * (`bad_input`) has found a state that no honest play leads to; a `bug` or a plain error is gyre's own.
 */
function isOfSession(error: unknown): error is GyreError {
  return error instanceof GyreError && codes.has(error.code) && !elsewhere.has(error.detail.part);
}

function asInfra(fault: GyreError): GyreError {
  if (fault.code === 'infra') return fault;
  const part = fault.detail.part ?? 'machine';
  return new GyreError('infra', fault.message, { ...fault.detail, part, cause: fault });
}
