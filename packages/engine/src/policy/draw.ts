import type { Random } from '../random.js';
import type { Range } from './vocabulary.js';

export interface DrawOptions {
  /** 0 takes the most likely token. */
  readonly temperature: number;
  /** Only the most likely tokens that together have this probability can be drawn; 1 keeps all. */
  readonly topP: number;
  readonly random: Random;
  /** This token, whatever its probability. */
  readonly forced?: number;
}

/** One of the allowed tokens. Its natural-log probability is under the softmax over all allowed ones at temperature 1. */
export function draw(
  logits: Float32Array,
  allowed: readonly Range[],
  { temperature, topP, random, forced }: DrawOptions,
): { token: number; logprob: number } {
  const candidates = allowed.flatMap(({ first, last }) =>
    Array.from({ length: last - first + 1 }, (_, i) => first + i),
  );
  let best = candidates[0] ?? 0;
  for (const token of candidates) if (logits[token]! > logits[best]!) best = token;
  const max = logits[best]!;
  let total = 0;
  for (const token of candidates) total += Math.exp(logits[token]! - max);
  const token = forced ?? (temperature === 0 ? best : sampled());
  return { token, logprob: logits[token]! - max - Math.log(total) };

  function sampled(): number {
    const weight = (token: number): number => Math.exp((logits[token]! - max) / temperature);
    const kept = topP < 1 ? nucleus(candidates, weight, topP) : candidates;
    let rest = random.next() * kept.reduce((sum, token) => sum + weight(token), 0);
    for (const token of kept) {
      rest -= weight(token);
      if (rest < 0) return token;
    }
    return kept.at(-1) ?? best;
  }
}

/** The smallest set of the most likely tokens whose share of all weight is at least `topP`; one at least. */
function nucleus(tokens: readonly number[], weight: (token: number) => number, topP: number): number[] {
  const sorted = [...tokens].sort((a, b) => weight(b) - weight(a) || a - b);
  const total = sorted.reduce((sum, token) => sum + weight(token), 0);
  let sum = 0;
  const end = sorted.findIndex((token) => (sum += weight(token)) >= topP * total);
  return sorted.slice(0, end < 0 ? sorted.length : end + 1);
}
