import { GyreError } from '@gyre/protocol';
import type { Datum, Piece } from './engine.js';

/** An answer as it was sampled. */
export interface SampledAnswer {
  readonly prompt: readonly Piece[];
  readonly tokens: readonly number[];
  /** One per token, under the sampling policy. */
  readonly logprobs: readonly number[];
  /** Default 0. */
  readonly advantage?: number | undefined;
  /** Weighs each token. Default 1. */
  readonly weight?: number | undefined;
}

export interface AnswerSpan {
  /** Index among the answers. */
  readonly answer: number;
  /** Index of the answer's first token in the lists of the datum. */
  readonly from: number;
  readonly length: number;
}

export interface MergedDatum {
  readonly datum: Required<Datum>;
  /** In order. */
  readonly spans: readonly AnswerSpan[];
}

/**
 * Makes data of answers. An answer whose prompt begins with the prompt and answer before joins their datum, so that
 * common tokens are computed once; causal models give the same log-probabilities. Tokens of prompts weigh 0.
 *
 * @param answers those of an episode in order
 * @throws GyreError `bad_input` for an answer without a prompt, without tokens, or with a log-probability too few
 */
export function mergedData(answers: readonly SampledAnswer[]): MergedDatum[] {
  const sequences: Sequence[] = [];
  for (const [index, answer] of answers.entries()) {
    const { prompt, tokens, logprobs } = answer;
    const items = itemsOf(prompt);
    if (items.length === 0 || tokens.length === 0 || tokens.length !== logprobs.length) {
      throw new GyreError(
        'bad_input',
        `answer ${index} has ${tokens.length} tokens, ${logprobs.length} log-probabilities and a prompt of ${items.length} tokens and pictures`,
        { field: 'answers', fix: 'give each answer a prompt, tokens, and as many log-probabilities' },
      );
    }
    const open = sequences.at(-1);
    if (open?.isBeginningOf(items)) open.append(items, { answer, index });
    else {
      const sequence = new Sequence();
      sequence.append(items, { answer, index });
      sequences.push(sequence);
    }
  }
  return sequences.map((sequence) => sequence.merged());
}

type PicturePiece = Extract<Piece, { readonly length: number }>;
type Item = number | PicturePiece;

const itemsOf = (pieces: readonly Piece[]): Item[] =>
  pieces.flatMap((piece): readonly Item[] => ('tokens' in piece ? piece.tokens : [piece]));

function isSame(a: Item, b: Item | undefined): boolean {
  if (typeof a === 'number' || typeof b !== 'object') return a === b;
  return a.picture.hash === b.picture.hash && a.length === b.length;
}

class Sequence {
  readonly #items: Item[] = [];
  readonly #spans: AnswerSpan[] = [];
  /** One number per token, the first included. */
  readonly #lists = { weights: [] as number[], logprobs: [] as number[], advantages: [] as number[] };

  isBeginningOf(items: readonly Item[]): boolean {
    return this.#items.length <= items.length && this.#items.every((item, index) => isSame(item, items[index]));
  }

  append(prompt: readonly Item[], { answer, index }: { answer: SampledAnswer; index: number }): void {
    const { tokens, logprobs, advantage = 0, weight = 1 } = answer;
    const { weights, advantages } = this.#lists;
    for (const item of prompt.slice(this.#items.length)) {
      const length = typeof item === 'number' ? 1 : item.length;
      this.#items.push(item);
      for (const list of Object.values(this.#lists)) for (let k = 0; k < length; k++) list.push(0);
    }
    this.#spans.push({ answer: index, from: weights.length - 1, length: tokens.length });
    this.#items.push(...tokens);
    this.#lists.logprobs.push(...logprobs);
    for (let k = 0; k < tokens.length; k++) {
      weights.push(weight);
      advantages.push(advantage);
    }
  }

  merged(): MergedDatum {
    const input: Piece[] = [];
    let tokens: number[] = [];
    const close = () => {
      if (tokens.length > 0) input.push({ tokens });
      tokens = [];
    };
    for (const item of this.#items) {
      if (typeof item === 'number') tokens.push(item);
      else {
        close();
        input.push(item);
      }
    }
    close();
    const { weights, logprobs, advantages } = this.#lists;
    const datum = { input, weights: weights.slice(1), logprobs: logprobs.slice(1), advantages: advantages.slice(1) };
    return { datum, spans: this.#spans };
  }
}
