import type { Action, Task } from '@gyre/protocol';
import { programText } from '@gyre/sandbox';

export type AttackedSurface = 'page' | 'browser machine' | 'desktop';

/** An attack that an agent plays instead of its task. */
interface Common {
  readonly name: string;
  readonly on: readonly AttackedSurface[];
  /** May end programs or fill the machine, so it gets its own. */
  readonly spoils?: boolean;
}

/** Prints a line beginning with `reached` for each forbidden thing that it can do. */
export interface ShellAttack extends Common {
  readonly program: 'sh' | 'python3';
  readonly text: string;
  /** Keeps running while the task is judged. Default: waited for. */
  readonly background?: boolean;
}

export interface ScreenAttack extends Common {
  readonly actions: readonly Action[];
}

/** Plays an episode from the task's description alone: it never sees a screen. */
export interface PolicyAttack extends Common {
  /** Returns the actions of each turn. */
  readonly turns: (task: Task, surface: AttackedSurface) => Promise<readonly (readonly Action[])[]>;
}

export type Attack = ShellAttack | ScreenAttack | PolicyAttack;

/** Reads the program of an attack from a file below this folder. */
export function attackProgram(file: string): string {
  return programText(new URL(file, import.meta.url));
}
