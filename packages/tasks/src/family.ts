import type { Split, Task } from '@gyre/protocol';
import type { PageSource } from '@gyre/sandbox';

/** A kind of task. */
export interface TaskFamily {
  readonly name: string;
  /** One sentence for people. */
  readonly description: string;
  /** The task of a seed: a pure function; the splits share no word, layout, string or maze. */
  create(split: Split, seed: number): TaskInstance;
}

/** A task with the page that it is played on, as plain data. */
export interface TaskInstance {
  readonly task: Task;
  readonly page: PageSource;
}
