import type { AgentAction } from '../action/sdkCall.js';
import type { Size } from '../action/point.js';
import type { ActionResult, ContentHash, Verdict } from '../episode/episode.js';
import type { Task } from '../episode/task.js';
import type { GyreError } from '../error.js';

/** A screenshot. */
export interface Frame {
  readonly png: Uint8Array;
  /** SHA-256 of `png`. */
  readonly hash: ContentHash;
  /** In px; one CSS pixel is one pixel. */
  readonly size: Size;
}

/** The outcome of one step. */
export interface StepResult {
  /** The screen after the actions. */
  readonly observation: Frame;
  readonly reward: number;
  /** The task is over, or the agent has ended the episode by `finished` or `call_user`. */
  readonly done: boolean;
  /** One result for each SDK call and for the action that stopped the step; then notices of the screen. */
  readonly results: readonly ActionResult[];
  /** The actions that were attempted. Those after a refused or malformed one were not; a malformed one is left out. */
  readonly actions: readonly AgentAction[];
  /** Why the last of `actions` was refused: `bad_input`, or `held` while a person has taken the session over. */
  readonly refusal?: GyreError | undefined;
}

/** A turn of a scripted solution. Its actions are empty once the task is over. */
export interface OracleTurn<Action extends AgentAction = AgentAction> {
  readonly thought?: string | undefined;
  readonly actions: readonly Action[];
}

/** A tool of an MCP server that the environment offers. */
export interface OfferedTool {
  readonly server: string;
  readonly name: string;
  readonly description?: string;
  /** JSON schema of its arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Tells which person has taken the mouse and keys. */
export interface Holder {
  /** Undefined while the agent has them. */
  readonly holder: string | undefined;
  /** Calls `onChange` whenever the holder changes. Returns what stops that. */
  listen(onChange: () => void): () => void;
}

export interface ResetOptions {
  /** Leases a machine that nothing else shares, instead of reusing one. */
  readonly fresh?: boolean;
}

export interface StepOptions {
  /** Receives the observation before the reward is read, so that it can be stored meanwhile. */
  readonly onObservation?: (observation: Frame) => void;
}

/**
 * A task that can be acted in, step by step. Its calls must not overlap. All of them throw `infra` where an outside part fails; the
 * environment can then be reset.
 *
 * An observation is a `Frame`, with its picture: the schema `Observation` is the record of one. A step tells the actions that it attempted,
 * so that loops record what happened and not what was asked for. `observe`, `holder`, `tools` and `uncontrolled` spare loops the session.
 */
export interface Environment {
  /** The task. Where its set-up writes the instruction, that is in here after `reset`. */
  readonly task: Task;
  /** Starts the task from its beginning. */
  reset(options?: ResetOptions): Promise<Frame>;
  /** Carries out the actions of one turn, on the screen and by the SDK, and reads the reward. No action is a step, too. */
  step(actions: readonly AgentAction[], options?: StepOptions): Promise<StepResult>;
  /** Captures the screen without a step. */
  observe(): Promise<Frame>;
  /** Judges the state as it is now. Returns undefined where the task has no verifier. */
  verdict(): Promise<Verdict | undefined>;
  /** Returns the next turn of the scripted solution. Absent, or throws `bad_input`, where there is none. */
  oracle?(): Promise<OracleTurn>;
  /** Lists the MCP tools that the agent may call. */
  tools?(): Promise<readonly OfferedTool[]>;
  /** Absent where no person can take the session over. */
  readonly holder?: Holder | undefined;
  /** Sources of time and randomness that the page used and a replay cannot repeat, such as `workers`. */
  readonly uncontrolled?: readonly string[];
  /** Gives back what it has leased. A second call does nothing. */
  close(): Promise<void>;
}
