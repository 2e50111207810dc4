import type { AgentAction, Size, Split, Task } from '@gyre/protocol';
import type { MachineKind, PageSource, Session } from '@gyre/sandbox';
import type { TaskFamily, TaskInstance } from '../family.js';
import type { TaskRun } from '../taskRun.js';

/** What a file holds: a text, or bytes in base64. */
export type FileContent = string | { readonly base64: string };

/** A program that is started before a task begins. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  /** What the title of its window, or the name of its program, has in it once it is there. */
  readonly window: string;
}

/** What a machine is given before a task begins. Plain data; paths are below the home. */
export interface SetUp {
  readonly folders: readonly string[];
  readonly files: Readonly<Record<string, FileContent>>;
  /** Run one after another once the files are there. */
  readonly commands: readonly string[];
  /** Shown by a machine that is a browser. */
  readonly page?: PageSource | undefined;
  /** Started one after another, the last in front, on a machine that is a desktop. */
  readonly programs: readonly Launch[];
}

/** A task with what the machine is given that it is played on. What is expected of it is not in there. */
export interface MachineInstance {
  readonly task: Task;
  readonly setup: SetUp;
}

/** A turn of a scripted solution, on the screen and by the SDK. */
export interface MachineTurn {
  readonly thought?: string;
  readonly actions: AgentAction[];
}

/** A task that is being played on a machine. It is judged from outside: the machine never holds what is expected. */
export interface MachineRun extends Omit<TaskRun, 'oracle'> {
  oracle(): Promise<MachineTurn>;
}

/** A kind of task that is played on a machine of its own, with programs, files and a shell, and judged from outside of it. */
export interface MachineFamily extends Omit<TaskFamily, 'create'> {
  /** What it is played on. Each task needs a fresh one: it leaves files and programs behind. */
  readonly kind: Extract<MachineKind, 'browser' | 'desktop'>;
  /** What it needs of this machine and does not find, such as `libreoffice-calc`; empty where it can be played. */
  missing(): readonly string[];
  /** The task of a seed: a pure function, as `TaskFamily.create`. */
  create(split: Split, seed: number, size?: Size): MachineInstance;
  /** Sets a session up. Throws `infra`, and `bad_input` where it is not of the right kind. */
  start(session: Session, instance: MachineInstance): Promise<MachineRun>;
}

/** A family of whatever kind, and its tasks. */
export type AnyFamily = TaskFamily | MachineFamily;
export type AnyInstance = TaskInstance | MachineInstance;
