import type { PageSource } from '@gyre/sandbox';
import type { AnyInstance } from '../family.js';

/** A text, or bytes in base64. */
export type FileContent = string | { readonly base64: string };

/** A program that is started before a task begins. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  /** Part of its window's title, or the name of its program: its window is ready once there is one. */
  readonly window: string;
}

/** The content of a machine before a task begins. Plain data; paths are below the home. */
export interface SetUp {
  readonly folders: readonly string[];
  readonly files: Readonly<Record<string, FileContent>>;
  /** Run one after another once the files are there. */
  readonly commands: readonly string[];
  /** Opened on a machine that is a browser. */
  readonly page?: PageSource | undefined;
  /** Started one after another, the last in front, on a machine that is a desktop. */
  readonly programs: readonly Launch[];
}

/** A task with the set-up of its machine, which never holds the expected result. */
export interface MachineInstance extends AnyInstance {
  readonly setup: SetUp;
}
