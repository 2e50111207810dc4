import type { AgentAction, Size, Surface } from '@gyre/protocol';
import type { MachineKind, Requirement, SandboxSession } from '@gyre/sandbox';
import type { Cast } from './cast.js';
import type { Evidence } from './evidence.js';
import type { SetUp } from './setUp.js';

/** A turn of a scripted solution, and when it can be taken. */
export interface ScriptedTurn {
  readonly thought: string;
  readonly actions: readonly AgentAction[] | ((machine: SandboxSession) => Promise<readonly AgentAction[]>);
  /** Whether the programs are ready for it. Default: they are. */
  readonly when?: ((machine: SandboxSession) => Promise<boolean>) | undefined;
}

/** What a seed gives: the task in words, the machine's set-up, and what stays outside of it: how it is judged and solved. */
export interface Drawn extends Partial<SetUp> {
  readonly instruction: string;
  readonly difficulty: 1 | 2 | 3 | 4 | 5;
  /** What must be right, by name; read from outside of the machine after each turn. */
  judge(evidence: Evidence): Promise<Record<string, boolean>>;
  /** Does what the agent has asked of the world around, before it is judged: such as running the checks of a page. */
  attend?(evidence: Evidence): Promise<void>;
  /** Solves it by the surfaces that the agent has. */
  readonly script: readonly ScriptedTurn[];
  /** What is done again where all has been done and it is not right yet: busy programs lose keys. Default: nothing but waiting. */
  readonly again?: readonly ScriptedTurn[];
}

/** A family of tasks, without what all of them have in common. */
export interface Template {
  readonly name: string;
  readonly description: string;
  readonly kind: MachineKind;
  /** What the agent may use. */
  readonly surfaces: readonly Surface[];
  /** Of the screen, in px: by default, and the smallest. */
  readonly screen: Size;
  /** Programs beside those that every machine of the kind needs. */
  readonly needs: readonly Requirement[];
  /** Draws the task of a seed. All randomness comes from the cast. */
  draw(cast: Cast): Drawn;
}
