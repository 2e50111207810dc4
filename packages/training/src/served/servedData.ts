import { type Datum, mergedData, type NativeDatum, type NativeSequence, type Piece } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';

export interface ServedData {
  readonly data: readonly Required<Datum>[];
  /** Regroups lists `[datum of data][token]` as `[datum][sequence][token]`. */
  bySequence(lists: readonly (readonly number[])[]): number[][][];
}

export interface ServedDataOptions {
  /** Multiplies the weights. */
  readonly scale: number;
  /** Requires sampled log-probabilities; else they default to 0. */
  readonly isSampled: boolean;
}

/**
 * Makes data for an `Engine` of sequences in any order. Sequences whose prompts extend one another become one datum (see
 * `mergedData`).
 *
 * @throws GyreError `bad_input` for a sequence without a prompt or, if sampled, without a log-probability per token
 */
export function servedData(data: readonly NativeDatum[], { scale, isSampled }: ServedDataOptions): ServedData {
  const sequences = data.flatMap((datum) => datum.sequences.map(withPrompt));
  const merged = chainsOf(sequences).flatMap((chain) =>
    mergedData(
      chain.map((index) => {
        const { prompt, action: tokens, logprobs } = sequences[index]!;
        return { prompt, tokens, logprobs: logprobs ?? (isSampled ? [] : tokens.map(() => 0)) };
      }),
    ).map(({ datum, spans }) => {
      const weights = datum.weights.map(() => 0);
      const advantages = [...weights];
      for (const { answer, from, length } of spans) {
        const sequence = sequences[chain[answer]!]!;
        for (let t = 0; t < length; t++) {
          weights[from + t] = (sequence.weights?.[t] ?? 1) * scale;
          advantages[from + t] = sequence.advantages?.[t] ?? 0;
        }
      }
      return {
        datum: { ...datum, weights, advantages },
        spans: spans.map(({ answer, from, length }) => ({ sequence: chain[answer]!, from, to: from + length })),
      };
    }),
  );
  return {
    data: merged.map(({ datum }) => datum),
    bySequence(lists) {
      const flat: number[][] = [];
      for (const [index, { spans }] of merged.entries()) {
        for (const { sequence, from, to } of spans) flat[sequence] = lists[index]?.slice(from, to) ?? [];
      }
      let next = 0;
      return data.map((datum) => datum.sequences.map(() => flat[next++] ?? []));
    },
  };
}

type PromptedSequence = NativeSequence & { readonly prompt: readonly Piece[] };

function withPrompt(sequence: NativeSequence): PromptedSequence {
  const { prompt } = sequence;
  if (prompt) return { ...sequence, prompt };
  throw new GyreError('bad_input', 'a decision has no prompt of a served policy', {
    field: 'prompt',
    fix: 'train a served policy on episodes that it sampled, with stored prompts',
  });
}

/** Chains indices of sequences: each prompt begins with the prompt and action before. */
function chainsOf(sequences: readonly PromptedSequence[]): number[][] {
  const digests = sequences.map(({ prompt }) => prefixDigests(prompt));
  const order = [...sequences.keys()].sort((a, b) => digests[a]!.length - digests[b]!.length);
  const chains: number[][] = [];
  /** By digest of their last prompt and action. `mergedData` compares tokens, so a collision merges nothing. */
  const open = new Map<number, number[]>();
  for (const index of order) {
    const prefixes = digests[index]!;
    const end = prefixes.findLast((digest) => open.has(digest));
    const chain = (end === undefined ? undefined : open.get(end)) ?? [];
    if (end === undefined) chains.push(chain);
    else open.delete(end);
    chain.push(index);
    open.set(sequences[index]!.action.reduce(extended, prefixes.at(-1) ?? seed), chain);
  }
  return chains;
}

const seed = 0x811c9dc5;

/** FNV-1a over 32-bit words. */
const extended = (digest: number, word: number): number => Math.imul(digest ^ word, 0x01000193) >>> 0;

/** Returns a digest for each prefix, of one token or picture more. */
function prefixDigests(prompt: readonly Piece[]): number[] {
  const digests: number[] = [];
  let digest = seed;
  for (const piece of prompt) {
    if ('tokens' in piece) for (const token of piece.tokens) digests.push((digest = extended(digest, token)));
    else {
      for (const character of piece.picture.hash) digest = extended(digest, character.codePointAt(0) ?? 0);
      digests.push(digest);
    }
  }
  return digests;
}
