import type { Piece } from '@gyre/engine';
import type { Size, TurnMessage } from '@gyre/protocol';
import type { Context, Decision } from '../policy/policy.js';

/** Turns a task and its past into the tokens and pictures of an `Engine`, and sampled tokens into a turn. */
export interface Language {
  readonly name: string;
  /** Hash of the tokenizer, as in `EngineTraits`. */
  readonly vocabulary: string;
  /** Tokens that end a turn. */
  readonly stop: readonly number[];
  prompt(context: Context): Promise<Piece[]>;
  /** Reads the tokens of an answer, on a screen of this size in px. An answer that is no turn is told in the decision. */
  parse(tokens: readonly number[], size: Size): Promise<Decision>;
  /** Prints a turn. Throws 'bad_input' where the language cannot say it. */
  print(turn: TurnMessage, size: Size): Promise<number[]>;
}
