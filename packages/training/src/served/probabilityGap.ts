import type { Datum, Engine } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';

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
  const gaps: { readonly nats: number; readonly hasPictures: boolean }[] = [];
  for (const [i, { input, weights, logprobs: sampled }] of data.entries()) {
    const hasPictures = input.some((piece) => 'picture' in piece);
    for (const [k, weight] of weights.entries()) {
      if (weight === 0) continue;
      gaps.push({ nats: Math.abs((logprobs[i]?.[k] ?? NaN) - (sampled?.[k] ?? NaN)), hasPictures });
    }
  }
  const meanOf = (some: typeof gaps) => some.reduce((sum, { nats }) => sum + nats, 0) / some.length;
  return {
    tokens: gaps.length,
    mean: meanOf(gaps),
    largest: gaps.length === 0 ? NaN : gaps.reduce((largest, { nats }) => Math.max(largest, nats), 0),
    withPictures: meanOf(gaps.filter(({ hasPictures }) => hasPictures)),
    withoutPictures: meanOf(gaps.filter(({ hasPictures }) => !hasPictures)),
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
