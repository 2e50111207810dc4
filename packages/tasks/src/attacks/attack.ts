import type { Action } from '@gyre/protocol';
import { programText } from '@gyre/sandbox';

export type AttackedSurface = 'page' | 'browser machine' | 'desktop';

/** An action of the agent instead of its task. Plain data. */
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

export type Attack = ShellAttack | ScreenAttack;

/** Reads the program of an attack from a file below this folder. */
export function attackProgram(file: string): string {
  return programText(new URL(file, import.meta.url));
}
