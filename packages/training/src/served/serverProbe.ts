import type { Datum, Engine, Piece, Sampled } from '@gyre/engine';
import { type ProbabilityGap, probabilityGap } from './probabilityGap.js';
import type { ProbePrompts } from './probePrompts.js';

/** The effect of a picture on log-probabilities, in nats. */
export interface PictureEffect {
  /** Largest change between a red and a blue picture. */
  readonly nats: number;
  /** Largest change between two passes with the same picture. */
  readonly noise: number;
  readonly isSeen: boolean;
}

export interface SampledGap {
  readonly gap: ProbabilityGap;
  readonly answers: readonly ProbeAnswer[];
}

interface ProbeAnswer {
  readonly prompt: readonly Piece[];
  readonly sampled: Sampled;
}

export interface StepReport extends SampledGap {
  /** Mean absolute change of the trained tokens' log-probabilities at the trainer, in nats. */
  readonly movement: number;
  readonly learningRate: number;
  /** The sampler answers as it did before the steps, with the same log-probabilities. */
  readonly samplerIsUnchanged: boolean;
}

const maxTokens = 16;
/** Per prompt. */
const samples = 2;

/** Adam moves each weight by about the learning rate, whatever the model. */
const learningRates = [1e-3, 3e-3, 1e-2, 3e-2];
/** Far above what rounding to bf16 leaves. */
const visibleNats = 0.3;

const promptsOf = ({ texts, pictures }: ProbePrompts) => [...(texts ?? []), ...(pictures ?? [])];

/** Publishes, samples, and compares with the trainer's log-probabilities of the same tokens. */
export async function sampledGap(engine: Engine, prompts: ProbePrompts): Promise<SampledGap> {
  await engine.publish();
  const requests = promptsOf(prompts).flatMap((input) =>
    Array.from({ length: samples }, (_, seed) => ({ input, maxTokens, temperature: 1, seed })),
  );
  const sampled = await engine.sample(requests);
  const answers = requests.map(({ input }, i) => ({ prompt: input, sampled: sampled[i]! }));
  const data = answers.map(({ prompt, sampled: { tokens, logprobs } }) => datumOf(prompt, tokens, { logprobs }));
  return { gap: await probabilityGap(engine, data), answers };
}

/** Measures whether pictures reach the trainer's model, by the same tokens after either picture. */
export async function trainerPictureEffect(
  engine: Engine,
  [red, blue]: readonly [Piece[], Piece[]],
): Promise<PictureEffect> {
  const [sampled] = await engine.sample([{ input: red, maxTokens, temperature: 1, seed: 0 }]);
  const data = [red, blue, red].map((prompt) => datumOf(prompt, sampled!.tokens));
  const [ofRed, ofBlue, again] = (await engine.forward(data)).logprobs as [number[], number[], number[]];
  return effect(largestChange(ofRed, ofBlue), largestChange(ofRed, again));
}

/** Measures whether pictures reach the sampler's model. */
export async function samplerPictureEffect(
  engine: Pick<Engine, 'sample'>,
  [red, blue]: readonly [Piece[], Piece[]],
): Promise<PictureEffect> {
  const requests = [red, blue, red].map((input) => ({ input, maxTokens, temperature: 0, seed: 0 }));
  const [ofRed, ofBlue, again] = (await engine.sample(requests)) as [Sampled, Sampled, Sampled];
  const changes = [ofBlue, again].map(({ logprobs }) => largestChange(ofRed.logprobs, logprobs));
  const measured = effect(changes[0]!, changes[1]!);
  const answersDiffer = !isSameText(ofRed, ofBlue) && isSameText(ofRed, again);
  return { ...measured, isSeen: measured.isSeen || answersDiffer };
}

/**
 * Trains each prompt on the answer to its counterpart until log-probabilities move, publishes, samples, and compares
 * again. Old weights at the sampler, or weights that it loads in part, show as a gap.
 */
export async function gapAfterSteps(
  engine: Engine,
  prompts: ProbePrompts,
  { answers }: SampledGap,
): Promise<StepReport> {
  const count = answers.reduce((sum, { sampled }) => sum + sampled.tokens.length, 0);
  const data = swapped(answers).map(({ prompt, tokens }) => datumOf(prompt, tokens, { weight: 1 / count }));
  let first: number[][] | undefined;
  let [movement, learningRate] = [0, 0];
  for (learningRate of learningRates) {
    const { logprobs } = await engine.forwardBackward(data, { name: 'cross_entropy' });
    first ??= logprobs;
    await engine.optimStep({ learningRate });
    movement = meanChange(data, first, (await engine.forward(data)).logprobs);
    if (movement >= visibleNats) break;
  }
  const after = await sampledGap(engine, prompts);
  const samplerIsUnchanged = after.answers.every(({ sampled }, i) => isSame(sampled, answers[i]!.sampled));
  return { ...after, movement, learningRate, samplerIsUnchanged };
}

/** Pairs each prompt with an answer to the next prompt of its pair. */
function swapped(answers: readonly ProbeAnswer[]) {
  const pair = 2 * samples;
  return answers.map(({ prompt }, i) => {
    const start = i - (i % pair);
    return { prompt, tokens: answers[start + ((i - start + samples) % pair)]!.sampled.tokens };
  });
}

/** Weighs the answer alone. */
function datumOf(
  prompt: readonly Piece[],
  tokens: readonly number[],
  { logprobs, weight = 1 }: { logprobs?: readonly number[]; weight?: number } = {},
): Datum {
  const length = prompt.reduce((sum, piece) => sum + ('tokens' in piece ? piece.tokens.length : piece.length), 0);
  const before = new Array<number>(length - 1).fill(0);
  return {
    input: [...prompt, { tokens }],
    weights: [...before, ...tokens.map(() => weight)],
    ...(logprobs && { logprobs: [...before, ...logprobs] }),
  };
}

/** Rounding differs between passes where kernels depend on the batch. */
const effect = (nats: number, noise: number): PictureEffect => ({ nats, noise, isSeen: nats > 2 * noise + 1e-3 });

const largestChange = (before: readonly number[], after: readonly number[]): number =>
  before.reduce((largest, logprob, i) => Math.max(largest, Math.abs(logprob - (after[i] ?? logprob))), 0);

const isSameText = (a: Sampled, b: Sampled): boolean =>
  a.tokens.length === b.tokens.length && a.tokens.every((token, i) => token === b.tokens[i]);

const isSame = (a: Sampled, b: Sampled): boolean => isSameText(a, b) && largestChange(a.logprobs, b.logprobs) < 1e-3;

function meanChange(data: readonly Datum[], before: readonly number[][], after: readonly number[][]): number {
  let [total, count] = [0, 0];
  for (const [i, { weights }] of data.entries()) {
    for (const [k, weight] of weights.entries()) {
      if (weight === 0) continue;
      total += Math.abs(before[i]![k]! - after[i]![k]!);
      count++;
    }
  }
  return count === 0 ? 0 : total / count;
}
