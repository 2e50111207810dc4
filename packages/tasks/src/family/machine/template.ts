import type { AgentAction, Size, Surface } from '@gyre/protocol';
import type { MachineKind, Requirement, SandboxSession } from '@gyre/sandbox';
import type { Cast } from './cast.js';
import type { Evidence } from './evidence.js';
import type { SetUp } from './setUp.js';

/** A turn of a scripted solution. */
export interface ScriptedTurn {
  readonly thought: string;
  readonly actions: readonly AgentAction[] | ((machine: SandboxSession) => Promise<readonly AgentAction[]>);
  /** Default: always. */
  readonly when?: ((machine: SandboxSession) => Promise<boolean>) | undefined;
}

/** A drawn task, with checks and solution that stay outside the machine. */
export interface Drawn extends Partial<SetUp> {
  readonly instruction: string;
  readonly difficulty: 1 | 2 | 3 | 4 | 5;
  /** Checks every part by name after each turn. */
  judge(evidence: Evidence): Promise<Record<string, boolean>>;
  /** Performs requested side effects, such as a page's checks, before judging. */
  attend?(evidence: Evidence): Promise<void>;
  readonly script: readonly ScriptedTurn[];
  /** Repeated while the finished script is not right, since busy programs lose keys. Default: waits. */
  readonly again?: readonly ScriptedTurn[];
}

/** A machine family without the shared parts. */
export interface Template {
  readonly name: string;
  readonly description: string;
  readonly kind: MachineKind;
  readonly surfaces: readonly Surface[];
  readonly screen: Size;
  readonly needs: readonly Requirement[];
  /** Draws a task, with all randomness from the cast. */
  draw(cast: Cast): Drawn;
}
