import type { AgentAction, Size, Surface } from '@gyre/protocol';
import type { MachineKind, Requirement, SandboxSession } from '@gyre/sandbox';
import type { Cast } from './cast.js';
import type { Evidence } from './evidence.js';
import type { SetUp } from './setUp.js';

/** A turn of a scripted solution. */
export interface ScriptedTurn {
  readonly thought: string;
  readonly actions: readonly AgentAction[] | ((machine: SandboxSession) => Promise<readonly AgentAction[]>);
  /** Returns whether the programs are ready for it. Default: always. */
  readonly when?: ((machine: SandboxSession) => Promise<boolean>) | undefined;
}

/** A drawn task: instruction, set-up, and the checks and solution that stay outside the machine. */
export interface Drawn extends Partial<SetUp> {
  readonly instruction: string;
  readonly difficulty: 1 | 2 | 3 | 4 | 5;
  /** Checks every part by name, from outside the machine, after each turn. */
  judge(evidence: Evidence): Promise<Record<string, boolean>>;
  /** Performs side effects that the agent requested, such as a page's checks, before judging. */
  attend?(evidence: Evidence): Promise<void>;
  /** Solves the task on the agent's surfaces. */
  readonly script: readonly ScriptedTurn[];
  /** Repeated while a finished script is not yet right, since busy programs lose keys. Default: waits. */
  readonly again?: readonly ScriptedTurn[];
}

/** A machine family without the shared parts. */
export interface Template {
  readonly name: string;
  readonly description: string;
  readonly kind: MachineKind;
  readonly surfaces: readonly Surface[];
  /** The default and smallest screen, in px. */
  readonly screen: Size;
  /** Programs in addition to those of the machine kind. */
  readonly needs: readonly Requirement[];
  /** Draws the task of a seed. All randomness comes from the cast. */
  draw(cast: Cast): Drawn;
}
