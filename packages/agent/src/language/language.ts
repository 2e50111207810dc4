import type { Piece } from '@gyre/engine';
import type { Size, TurnMessage } from '@gyre/protocol';
import type { Context, Decision } from '../policy/policy.js';

/** Encodes a task and its history for an `Engine`, and decodes sampled tokens. */
export interface Language {
  readonly name: string;
  /** Tokenizer hash, as in `EngineTraits`. */
  readonly vocabulary: string;
  /** Tokens that end a turn. */
  readonly stop: readonly number[];
  prompt(context: Context): Promise<Piece[]>;
  /** Decodes an answer for a screen of `size` px. The decision reports malformed ones. */
  parse(tokens: readonly number[], size: Size): Promise<Decision>;
  /** Encodes a turn. Throws 'bad_input' if the language cannot express it. */
  print(turn: TurnMessage, size: Size): Promise<number[]>;
}
