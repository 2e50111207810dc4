import type { Size, Split, Task } from '@gyre/protocol';
import type { MachineKind, PageSource, Session, Verifier } from '@gyre/sandbox';

/**
 * A kind of task, drawn from seeds. Its tasks are played on a page, or on machines with programs, files and a shell.
 *
 * @typeParam Instance what `create` returns and `start` needs: with a page, a `TaskInstance`.
 */
export interface TaskFamily<Instance extends AnyInstance = TaskInstance> {
  readonly name: string;
  /** One sentence for people. */
  readonly description: string;
  /** The smallest screen that its tasks fit on, in px, and their default except for games. Absent: 160 x 160. */
  readonly smallest?: Size;
  /** Its tasks measure only: no training uses them. */
  readonly heldOut?: boolean;
  /** How many wordings its instructions have. */
  readonly wordings?: number;
  /** Its tasks have no scripted solution: `oracle` throws `bad_input`. */
  readonly unscripted?: boolean;
  /** The machine that a task is played on, a fresh one: it leaves files and programs behind. Absent: a page. */
  readonly kind?: MachineKind;
  /** Lists what its tasks need and this machine lacks, such as `libreoffice-calc`. Absent: nothing is missing. */
  missing?(): readonly string[];
  /**
   * Draws the task of a seed. A pure function; the splits share no word, layout, string or maze.
   *
   * @param size of the screen in px, the width a multiple of 8, the height of 16. click, form, maze and vault ignore it.
   */
  create(split: Split, seed: number, size?: Size): Instance;
  /**
   * Sets a session up for a task, and returns what judges it. Absent: opens the task's page, which judges itself. Throws `infra`, and
   * `bad_input` for a session of the wrong kind.
   */
  start?(session: Session, instance: Instance): Promise<Verifier>;
}

/** A family whatever its tasks are played on. */
export type AnyFamily = TaskFamily<AnyInstance>;

/** A task, with the data that its family sets it up from. */
export interface AnyInstance {
  readonly task: Task;
  /** Only the set-up knows the instruction: the one of the task is general. */
  readonly instructs?: boolean;
}

/** Files with the content of a page. */
export interface PageFiles {
  /** By path below the home. */
  readonly contents: Readonly<Record<string, string>>;
  /** Path of the one that the task is about, unless the instruction says all. */
  readonly wanted?: string;
}

/** A task with the page that it is played on, as plain data. Its script defines `Watch`. */
export interface TaskInstance extends AnyInstance {
  readonly page: PageSource;
  /** The content of the page as files, for agents with a shell (`withShell`). */
  readonly files?: PageFiles;
}
