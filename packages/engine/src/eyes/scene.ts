import type { Size, TextLine } from '@gyre/protocol';
import type { NativeAction } from '../nano/grammar.js';

/** A past turn as its decision saw it. */
export interface PastScene {
  readonly actions: readonly NativeAction[];
  /** Text of the screen before the turn. */
  readonly lines: readonly TextLine[];
  readonly size: Size;
  /** Whether the screen was the same after the turn. */
  readonly unchanged: boolean;
  /** Output of a command. */
  readonly answer?: string | undefined;
}

/** What a policy with a reader knows besides the newest screenshot. */
export interface SceneContext {
  readonly instruction: string;
  readonly past: readonly PastScene[];
  /** Whether commands are allowed. */
  readonly commands?: boolean | undefined;
}
