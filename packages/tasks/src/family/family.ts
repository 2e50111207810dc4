import type { Environment, Size, Split, Task } from '@gyre/protocol';
import type { MachineKind, Machines, PageSource, Session, Verifier } from '@gyre/sandbox';

/** A kind of task, drawn from seeds and played on a page or a machine. */
export interface TaskFamily<Instance extends AnyInstance = TaskInstance> {
  readonly name: string;
  /** One sentence for people. */
  readonly description: string;
  /** Smallest screen in px, and the default except for games. Default: 160 x 160. */
  readonly smallest?: Size;
  /** Excluded from training. */
  readonly heldOut?: boolean;
  readonly wordings?: number;
  /**
   * Success rate of the best policy that knows the description only, for answers of a few values and tasks without
   * anything to look for. Default: 0.05.
   */
  readonly chance?: number;
  /** `oracle` throws `bad_input`. */
  readonly unscripted?: boolean;
  /** Ascending seeds of its tasks, where their number is fixed. */
  readonly seeds?: readonly number[];
  /** The kind of machine, always freshly leased. Absent: a page. */
  readonly kind?: MachineKind;
  /** Lists required programs missing on this host, such as `libreoffice-calc`. */
  missing?(): readonly string[];
  /**
   * Draws a seed's task. Pure; splits share no word, layout, string or maze.
   *
   * @param size in px, multiples of 8 (width) and 16 (height). Ignored by click, form, maze and vault.
   */
  create(split: Split, seed: number, size?: Size): Instance;
  /**
   * Sets a session up and returns the verifier. Default: opens the task's page. Throws `infra`, or `bad_input` for the
   * wrong kind of session.
   */
  start?(session: Session, instance: Instance): Promise<Verifier>;
  /** Opens a task that does not run in a session of gyre, such as an official benchmark's. Instead of `start`. */
  open?(instance: Instance, machines: Machines): Environment;
}

/** A family of page or machine tasks. */
export type AnyFamily = TaskFamily<AnyInstance>;

/** A task with its set-up data. */
export interface AnyInstance {
  readonly task: Task;
  /** The set-up supplies the instruction; the task's own is generic. */
  readonly instructs?: boolean;
}

/** A page's content as files. */
export interface PageFiles {
  /** By path relative to the home. */
  readonly contents: Readonly<Record<string, string>>;
  /** The file that the task is about, unless the instruction says it. */
  readonly subject?: string;
}

/** A page task as plain data. The page's script defines `Watch`. */
export interface TaskInstance extends AnyInstance {
  readonly page: PageSource;
  /** The page's content as files, for agents with a shell (`withShell`). */
  readonly files?: PageFiles;
}
