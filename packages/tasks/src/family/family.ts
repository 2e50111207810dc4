import type { Size, Split, Task } from '@gyre/protocol';
import type { MachineKind, PageSource, Session, Verifier } from '@gyre/sandbox';

/**
 * A kind of task, drawn from seeds and played on a page or on a machine.
 *
 * @typeParam Instance returned by `create`, taken by `start`; a `TaskInstance` for page tasks.
 */
export interface TaskFamily<Instance extends AnyInstance = TaskInstance> {
  readonly name: string;
  /** One sentence for people. */
  readonly description: string;
  /** Smallest screen in px; also the default screen, except for games. Default: 160 x 160. */
  readonly smallest?: Size;
  /** Evaluation only; excluded from training. */
  readonly heldOut?: boolean;
  /** Number of wordings of its instructions. */
  readonly wordings?: number;
  /** Has no scripted solution: `oracle` throws `bad_input`. */
  readonly unscripted?: boolean;
  /** The kind of machine, always freshly leased. Absent: a page. */
  readonly kind?: MachineKind;
  /** Lists required programs that this host lacks, such as `libreoffice-calc`. */
  missing?(): readonly string[];
  /**
   * Draws the task of a seed. Pure; the splits share no word, layout, string or maze.
   *
   * @param size screen in px; width a multiple of 8, height of 16. Ignored by click, form, maze and vault.
   */
  create(split: Split, seed: number, size?: Size): Instance;
  /**
   * Sets a session up and returns the task's verifier. Default: opens the task's page, which verifies itself. Throws
   * `infra`, or `bad_input` for a session of the wrong kind.
   */
  start?(session: Session, instance: Instance): Promise<Verifier>;
}

/** A family of page or machine tasks. */
export type AnyFamily = TaskFamily<AnyInstance>;

/** A task with its set-up data. */
export interface AnyInstance {
  readonly task: Task;
  /** The set-up supplies the actual instruction; the task's own is generic. */
  readonly instructs?: boolean;
}

/** A page's content as files. */
export interface PageFiles {
  /** File contents by path, relative to the home. */
  readonly contents: Readonly<Record<string, string>>;
  /** Path of the file that the task is about. Absent: the instruction says everything. */
  readonly wanted?: string;
}

/** A page task as plain data. The page's script defines `Watch`. */
export interface TaskInstance extends AnyInstance {
  readonly page: PageSource;
  /** The page's content as files, for agents with a shell (`withShell`). */
  readonly files?: PageFiles;
}
