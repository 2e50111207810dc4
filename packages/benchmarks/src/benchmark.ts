import type { Suite } from '@gyre/tasks';

/** Tasks that cannot be played here. */
export interface LeftOutTasks {
  readonly tasks: readonly string[];
  readonly reason: string;
}

/**
 * An official benchmark, opened: its tasks are environments like any others, and their verdicts come from its own code.
 * An exception of that code is an infrastructure error, not a score of 0.
 */
export interface Benchmark {
  readonly name: string;
  /** Names the package and version that judge, and the source of the tasks. */
  readonly revision: string;
  /** Names the machine if it is not the official one: `gyre/debian`. Such scores are not official ones. */
  readonly place?: string | undefined;
  /** Says what its scores are not, if anything. */
  readonly note?: string | undefined;
  /** Have a fixed number of tasks each, all of the split `test`. */
  readonly suite: Suite;
  /** Official number of tasks. */
  readonly total: number;
  readonly leftOut: readonly LeftOutTasks[];
  close(): Promise<void>;
}
