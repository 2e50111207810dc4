import type { AgentAction } from '../action/sdkCall.js';
import type { Size } from '../action/point.js';
import type { ActionResult, Advice, ContentHash, Verdict } from '../episode/episode.js';
import type { Reading } from '../episode/reading.js';
import type { Task } from '../episode/task.js';
import type { PixelBox } from '../space/pixelBox.js';
import type { GyreError } from '../error.js';

export interface Frame {
  readonly png: Uint8Array;
  /** SHA-256 of `png`. */
  readonly hash: ContentHash;
  /** In px; one CSS pixel is one pixel. */
  readonly size: Size;
  /** Only if requested. */
  readonly reading?: Reading | undefined;
}

export interface StepResult {
  readonly observation: Frame;
  readonly reward: number;
  /** The task is over, or the agent ended the episode. */
  readonly done: boolean;
  /** Results of SDK calls and of the action that stopped the step; notices come last. */
  readonly results: readonly ActionResult[];
  /** The attempted actions, without malformed ones. */
  readonly actions: readonly AgentAction[];
  readonly refusal?: GyreError | undefined;
  /**
   * The box of the element at each point of `actions`, in order; null where there is none. Only if requested. All are
   * located before the first action.
   */
  readonly targets?: readonly (PixelBox | null)[] | undefined;
}

/** Has no actions once the task is over. */
export interface OracleTurn<Action extends AgentAction = AgentAction> {
  readonly thought?: string | undefined;
  readonly actions: readonly Action[];
}

export interface OfferedTool {
  readonly server: string;
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface Holder {
  readonly holder: string | undefined;
  /** Returns a function that unsubscribes. */
  listen(onChange: () => void): () => void;
}

export interface ResetOptions {
  /** Leases an unshared machine. */
  readonly fresh?: boolean;
}

export interface StepOptions {
  /** Called before the reward is read, so that storing can overlap. */
  readonly onObservation?: (observation: Frame) => void;
}

/** A task to act in. Calls must not overlap, and throw `infra` when an external part fails; then `reset` recovers. */
export interface Environment {
  /** `reset` adds the instruction that the set-up wrote. */
  readonly task: Task;
  reset(options?: ResetOptions): Promise<Frame>;
  /** Carries out a turn's actions, possibly none. */
  step(actions: readonly AgentAction[], options?: StepOptions): Promise<StepResult>;
  observe(): Promise<Frame>;
  /** Returns undefined if the task has no verifier. */
  verdict(): Promise<Verdict | undefined>;
  /** Throws `bad_input` if there is no scripted solution. */
  oracle?(): Promise<OracleTurn>;
  /** Returns the oracle's turn from here without changing the state; undefined if it has none. For training. */
  advise?(): Promise<Advice | undefined>;
  tools?(): Promise<readonly OfferedTool[]>;
  readonly holder?: Holder | undefined;
  /** Sources of time and randomness that a replay cannot repeat, such as `workers`. */
  readonly uncontrolled?: readonly string[];
  /** Idempotent. */
  close(): Promise<void>;
}
