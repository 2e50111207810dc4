import type { Size, Split, Task } from '@gyre/protocol';
import type { PageSource } from '@gyre/sandbox';

/** A kind of task. */
export interface TaskFamily {
  readonly name: string;
  /** One sentence for people. */
  readonly description: string;
  /** The smallest screen that its tasks fit on, in px, and, but for games, the one that they have by default. Absent: 160 x 160. */
  readonly smallest?: Size;
  /** Its tasks are for measuring only: whatever learns must leave the family out. */
  readonly heldOut?: boolean;
  /** How many wordings its instructions have. */
  readonly wordings?: number;
  /** Its tasks have no scripted solution: `oracle` throws `bad_input`. */
  readonly unscripted?: boolean;
  /**
   * The task of a seed: a pure function; the splits share no word, layout, string or maze. `size` is that of the screen in px,
   * its width a multiple of 8 and its height of 16; click, form, maze and vault are drawn for 160 x 160 only and leave it aside.
   */
  create(split: Split, seed: number, size?: Size): TaskInstance;
}

/** Files that say what a page shows. */
export interface PageFiles {
  /** By path below the home. */
  readonly contents: Readonly<Record<string, string>>;
  /** Path of the one that the task is about, unless the instruction says all. */
  readonly wanted?: string;
}

/** A task with the page that it is played on, as plain data. */
export interface TaskInstance {
  readonly task: Task;
  readonly page: PageSource;
  /** What can be read on the page, as files for those who have a shell (`withShell`). */
  readonly files?: PageFiles;
  /** Only the page knows what the agent is told, by `Verifier.instruction`; the task says something general. */
  readonly instructs?: boolean;
}
