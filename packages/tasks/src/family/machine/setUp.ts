import type { PageSource } from '@gyre/sandbox';
import type { AnyInstance } from '../family.js';

/** Text, or bytes in base64. */
export type FileContent = string | { readonly base64: string };

/** A program started before a task begins. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  /** Part of its title, or the program's name; shows that it is ready. */
  readonly window: string;
}

/** A machine's initial content; paths are relative to the home. */
export interface SetUp {
  readonly folders: readonly string[];
  readonly files: Readonly<Record<string, FileContent>>;
  /** Run in sequence once the files exist. */
  readonly commands: readonly string[];
  /** Opened on browser machines. */
  readonly page?: PageSource | undefined;
  /** Started in sequence on desktop machines, the last in front. */
  readonly programs: readonly Launch[];
}

/** A task with its set-up, which never holds the expected result. */
export interface MachineInstance extends AnyInstance {
  readonly setup: SetUp;
}
