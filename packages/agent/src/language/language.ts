import type { Piece } from '@gyre/engine';
import type { Size, TurnMessage } from '@gyre/protocol';
import type { Context, Decision } from '../policy/policy.js';

/** Encodes tasks and histories for an `Engine`, and decodes sampled tokens. */
export interface Language {
  readonly name: string;
  readonly vocabulary: string;
  /** Tokens that end a turn. */
  readonly stop: readonly number[];
  /** Stands for pictures in the prompts of samples. Absent if prompts are rebuilt from turns. */
  readonly pictureToken?: number;
  prompt(context: Context): Promise<Piece[]>;
  /** Decodes an answer for `size` px. The decision reports malformed ones. */
  parse(tokens: readonly number[], size: Size): Promise<Decision>;
  /** Throws 'bad_input' for inexpressible turns. */
  print(turn: TurnMessage, size: Size): Promise<number[]>;
}
