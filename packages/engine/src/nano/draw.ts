import type { Random } from '../random.js';
import type { TokenLogprob } from './nativeEngine.js';
import type { Range } from './vocabulary.js';

export interface DrawOptions {
  readonly temperature: number;
  /** Nucleus sampling; 1 disables it. */
  readonly topP: number;
  readonly random: Random;
  readonly only?: readonly Range[] | undefined;
  readonly top?: number | undefined;
}

/** The log-probability is over all allowed tokens at temperature 1. */
export function draw(
  logits: Float32Array,
  allowed: readonly Range[],
  { temperature, topP, random, only, top = 0 }: DrawOptions,
): TokenLogprob & { readonly top: readonly TokenLogprob[] } {
  const allowedTokens = tokensOf(allowed);
  const max = logits[likeliest(allowedTokens, logits)]!;
  let total = 0;
  for (const token of allowedTokens) total += Math.exp(logits[token]! - max);
  const candidates = only ? tokensOf(only) : allowedTokens;
  const best = likeliest(candidates, logits);
  const token = temperature === 0 ? best : sampled();
  const withLogprob = (token: number): TokenLogprob => ({ token, logprob: logits[token]! - max - Math.log(total) });
  const likeliestFirst = (a: number, b: number): number => logits[b]! - logits[a]! || a - b;
  return {
    ...withLogprob(token),
    top: top === 0 ? [] : [...allowedTokens].sort(likeliestFirst).slice(0, top).map(withLogprob),
  };

  function sampled(): number {
    const weight = (token: number): number => Math.exp((logits[token]! - logits[best]!) / temperature);
    const pool = topP < 1 ? nucleus(candidates, weight, topP) : candidates;
    let rest = random.next() * pool.reduce((sum, token) => sum + weight(token), 0);
    for (const token of pool) {
      rest -= weight(token);
      if (rest < 0) return token;
    }
    return pool.at(-1) ?? best;
  }
}

const tokensOf = (ranges: readonly Range[]): number[] =>
  ranges.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, i) => first + i));

function likeliest(tokens: readonly number[], logits: Float32Array): number {
  let best = tokens[0] ?? 0;
  for (const token of tokens) if (logits[token]! > logits[best]!) best = token;
  return best;
}

function nucleus(tokens: readonly number[], weight: (token: number) => number, topP: number): number[] {
  const sorted = [...tokens].sort((a, b) => weight(b) - weight(a) || a - b);
  const total = sorted.reduce((sum, token) => sum + weight(token), 0);
  let sum = 0;
  const end = sorted.findIndex((token) => (sum += weight(token)) >= topP * total);
  return sorted.slice(0, end < 0 ? sorted.length : end + 1);
}
