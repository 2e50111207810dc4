import type { Datum, Engine } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { mean } from '../metrics/statistics.js';

/** Absolute differences between sampled and recomputed log-probabilities, in nats per token. NaN without tokens. */
export interface ProbabilityGap {
  readonly tokens: number;
  readonly mean: number;
  readonly largest: number;
  /** Mean of data with pictures, and of data without. */
  readonly withPictures: number;
  readonly withoutPictures: number;
}

/**
 * Measures the gap between the server that samples and the one that trains, over tokens that weigh.
 *
 * @param data just sampled, from the weights of the last `publish`
 */
export async function probabilityGap(engine: Engine, data: readonly Datum[]): Promise<ProbabilityGap> {
  const { logprobs } = await engine.forward(data);
  return gapOf(
    data.map(({ input, weights, logprobs: sampled }, i) => {
      const trained = [...weights.keys()].filter((k) => weights[k] !== 0);
      return {
        hasPictures: input.some((piece) => 'picture' in piece),
        sampled: trained.map((k) => sampled?.[k] ?? NaN),
        recomputed: trained.map((k) => logprobs[i]?.[k] ?? NaN),
      };
    }),
  );
}

/** Log-probabilities of one answer's tokens. */
export interface RecomputedAnswer {
  readonly hasPictures: boolean;
  readonly sampled: readonly number[];
  readonly recomputed: readonly number[];
}

export function gapOf(answers: readonly RecomputedAnswer[]): ProbabilityGap {
  const gapsOf = ({ sampled, recomputed }: RecomputedAnswer) =>
    sampled.map((logprob, t) => Math.abs((recomputed[t] ?? NaN) - logprob));
  const gaps = answers.flatMap(gapsOf);
  return {
    tokens: gaps.length,
    mean: mean(gaps),
    largest: gaps.length === 0 ? NaN : gaps.reduce((largest, nats) => Math.max(largest, nats), 0),
    withPictures: mean(answers.filter(({ hasPictures }) => hasPictures).flatMap(gapsOf)),
    withoutPictures: mean(answers.filter(({ hasPictures }) => !hasPictures).flatMap(gapsOf)),
  };
}

/**
 * Expects a gap that rounding explains. bf16 leaves a mean of 0.01; lost pictures, raw pixels, a wrong template, a
 * half-loaded adapter and stale weights left 0.06 to 0.23 on SkyRL 0.4 with vLLM 0.30.
 *
 * @param bound of the mean, in nats. Default 0.03
 * @throws GyreError `bad_input` above the bound, with the likely cause
 */
export function expectSmallGap(gap: ProbabilityGap, { bound = 0.03 }: { readonly bound?: number } = {}): void {
  if (gap.mean <= bound) return;
  if (gap.tokens === 0) {
    throw new GyreError('bad_input', 'no sampled token can be compared', {
      field: 'data',
      fix: 'give data with log-probabilities and weights',
    });
  }
  const [mean, largest] = [gap.mean, gap.largest].map((nats) => nats.toFixed(3));
  throw new GyreError(
    'bad_input',
    `sampler and trainer disagree by ${mean} nats a token (largest: ${largest}, bound: ${bound}): ${causeOf(gap, bound)}`,
    { field: 'sampler', fix: fixOf(gap, bound) },
  );
}

const onlyWithPictures = ({ withPictures, withoutPictures }: ProbabilityGap, bound: number) =>
  withPictures > bound && withoutPictures <= bound;

function causeOf(gap: ProbabilityGap, bound: number): string {
  if (onlyWithPictures(gap, bound))
    return 'only prompts with pictures differ, so one server loses or rescales pictures';
  return "the sampler's weights are stale, its adapter is loaded in part, pictures are lost, or the chat template differs";
}

function fixOf(gap: ProbabilityGap, bound: number): string {
  const pictures =
    'start vLLM with --no-mm-device-do-normalize, and sample pictures by --sampler rather than by asample';
  if (onlyWithPictures(gap, bound)) return pictures;
  return [
    'publish before sampling, and let no other process train the model',
    'keep the adapter out of the vision modules: trainer.policy.model.lora.exclude_modules=".*visual.*"',
    pictures,
    'serve the base model and tokenizer that are trained',
  ].join('; ');
}
