import type { Action } from '@gyre/protocol';

/** What an agent acts by. */
export type AttackedSurface = 'page' | 'browser machine' | 'desktop';

/** Something that an agent does in place of its task. Plain data. */
interface Common {
  /** Unlike that of any other attack. */
  readonly name: string;
  readonly on: readonly AttackedSurface[];
  /** Whether it may end programs or fill the machine: it gets one of its own. Default: false. */
  readonly spoils?: boolean;
}

/** A program of the agent's shell. It writes a line that begins with `reached` for each thing that it must not be able to do. */
export interface ShellAttack extends Common {
  readonly program: 'sh' | 'python3';
  readonly text: string;
  /** How long it goes on in the background. Default: it is waited for, this long at most. */
  readonly background?: boolean;
}

/** Actions of the agent on its screen, one after another; those that are refused are passed over. */
export interface ScreenAttack extends Common {
  readonly actions: readonly Action[];
}

export type Attack = ShellAttack | ScreenAttack;
