import { adapterTensors, type Engine, TinkerSampler } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import {
  anyTexts,
  gapAfterSteps,
  nativePrompts,
  type ProbabilityGap,
  type ProbePrompts,
  type SampledGap,
  sampledGap,
  samplerPictureEffect,
  type StepReport,
  trainerPictureEffect,
} from '@gyre/training';
import type { Check } from '../doctor.js';
import { failed, missing, nats, optional, ready } from './check.js';
import { type EngineProbe, publicationFailure } from './tinkerChecks.js';
import { adapterFix, normaliseFix, type SamplerProbe } from './vllmChecks.js';

/** Rounding to bf16 leaves 0.01 nats a token on average. */
const bound = 0.03;

const visionFix =
  'Keep the adapter out of the vision modules: trainer.policy.model.lora.exclude_modules=".*visual.*" (or start vLLM with --enable-tower-connector-lora).';
const blindFix =
  'Serve a vision-language model, on a backend that trains on pictures: SkyRL on JAX drops them (use --backend fsdp).';
const sizeFix = 'give trainer and sampler the same processor settings, such as min_pixels and max_pixels';

interface PictureFindings {
  readonly checks: Check[];
  readonly areTrained: boolean;
  readonly areSampled: boolean;
}

/** Compares trainer and sampler on the same tokens, before and after a training step. */
export async function gapChecks(probe: EngineProbe, sampler: SamplerProbe | undefined): Promise<Check[]> {
  const { engine } = probe;
  let prompts: ProbePrompts;
  try {
    prompts = sampler ? sampler.prompts : await promptsOf(engine);
    // Tells a failed publication from lost pictures.
    if (prompts.texts) await sampledGap(engine, { texts: prompts.texts, pictures: undefined });
  } catch (error) {
    return [publicationFailure('sampling', error)];
  }
  const pictures = await pictureChecks(probe, prompts, sampler);
  const usesPictures = pictures.areTrained && pictures.areSampled;
  const compared = usesPictures || !prompts.texts ? prompts : { ...prompts, pictures: undefined };
  let before: SampledGap;
  try {
    before = await sampledGap(engine, compared);
  } catch (error) {
    return [...pictures.checks, publicationFailure('gap', error)];
  }
  const checks = [...pictures.checks, gapCheck(before.gap)];
  let after: StepReport;
  try {
    after = await gapAfterSteps(engine, compared, before);
  } catch (error) {
    return [...checks, publicationFailure('weight sync', error)];
  }
  const adapter = await adapterCheck(probe, after.gap);
  return [...checks, syncCheck(before.gap, after), ...adapter];
}

/** Finds prompts that a server takes whose tokenizer is unknown. */
async function promptsOf(engine: Engine): Promise<ProbePrompts> {
  try {
    await engine.sample([{ input: anyTexts[0], maxTokens: 1, temperature: 1, seed: 0 }]);
    return { texts: anyTexts, pictures: undefined };
  } catch (error) {
    if (error instanceof GyreError && error.message.includes('prompt of the native policy')) return nativePrompts();
    throw error;
  }
}

async function pictureChecks(
  { engine, ...probe }: EngineProbe,
  { pictures }: ProbePrompts,
  sampler: SamplerProbe | undefined,
): Promise<PictureFindings> {
  if (!pictures) {
    const [finding, fix] = sampler
      ? ['not checked: the sampler takes no pictures', 'Serve a vision-language model.']
      : ["not checked: the model's tokens are unknown", 'Pass --sampler URL.'];
    return { checks: [optional('pictures trained', finding, fix)], areTrained: false, areSampled: false };
  }
  const trained = await trainedCheck(engine, pictures);
  const sampled = await sampledCheck(engine, pictures, sampler);
  const checks = [trained, sampled, ...(sampler ? [await asampleCheck(probe, pictures)] : [])];
  return { checks, areTrained: trained.ok, areSampled: sampled.ok };
}

async function trainedCheck(engine: Engine, pictures: NonNullable<ProbePrompts['pictures']>): Promise<Check> {
  const name = 'pictures trained';
  try {
    const { nats: change, isSeen } = await trainerPictureEffect(engine, pictures);
    if (isSeen) return ready(name, `red or blue changes a log-probability of the trainer by ${nats(change)} nats`);
    return missing(name, 'the trainer drops pictures: red and blue give the same log-probabilities', blindFix);
  } catch (error) {
    const words = String(error);
    if (/\bexpected(_tokens)?\b/i.test(words)) return failed(name, error, sizeFix);
    return failed(name, error, blindFix.replace(/\.$/, ''));
  }
}

async function sampledCheck(
  engine: Engine,
  pictures: NonNullable<ProbePrompts['pictures']>,
  sampler: SamplerProbe | undefined,
): Promise<Check> {
  const name = 'pictures sampled';
  try {
    const { nats: change, isSeen } = await samplerPictureEffect(engine, pictures);
    if (isSeen) return ready(name, `red or blue changes the answer, or its log-probabilities by ${nats(change)} nats`);
    const fix = sampler
      ? 'Serve the same vision-language model by vLLM, and update it: 0.30 or later.'
      : 'Sample from the vLLM behind the server: --sampler URL. SkyRL drops pictures in asample unless trainer.placement.colocate_all=true.';
    return missing(name, 'the sampler drops pictures: red and blue give the same answer', fix);
  } catch (error) {
    return failed(name, error);
  }
}

/** Checks the way that gyre does not sample by. */
async function asampleCheck(
  { client, sampler }: Omit<EngineProbe, 'engine'>,
  pictures: NonNullable<ProbePrompts['pictures']>,
): Promise<Check> {
  const name = 'asample';
  const direct = new TinkerSampler(client);
  const fix = 'Sample pictures from vLLM, as gyre does with --sampler, or set trainer.placement.colocate_all=true.';
  try {
    await direct.use(sampler.weights!);
    const { isSeen } = await samplerPictureEffect(direct, pictures);
    if (isSeen) return ready(name, 'the Tinker server samples with pictures, too');
    return optional(name, 'the Tinker server drops pictures in asample', fix);
  } catch (error) {
    if (!(error instanceof GyreError)) throw error;
    return optional(name, `the Tinker server does not sample with pictures: ${error.message}`, fix);
  }
}

const exceeds = (gap: number, limit: number): boolean => gap > limit;
/** Bounds both kinds of prompts; NaN stands for none. */
const isSmall = ({ mean, withPictures, withoutPictures }: ProbabilityGap, limit: number): boolean =>
  mean <= limit && !exceeds(withPictures, limit) && !exceeds(withoutPictures, limit);
const isOnlyWithPictures = ({ withPictures, withoutPictures }: ProbabilityGap, limit: number): boolean =>
  exceeds(withPictures, limit) && withoutPictures <= limit;

function described({ withPictures, withoutPictures, tokens }: ProbabilityGap): string {
  const parts = [
    ...(Number.isNaN(withoutPictures) ? [] : [`${nats(withoutPictures)} without pictures`]),
    ...(Number.isNaN(withPictures) ? [] : [`${nats(withPictures)} with pictures`]),
  ];
  return `${parts.join(', ')}, in nats (${tokens} tokens)`;
}

function gapCheck(gap: ProbabilityGap): Check {
  const name = 'gap';
  if (gap.tokens === 0) return missing(name, 'no token was sampled', "Check the sampler's log.");
  if (isSmall(gap, bound)) return ready(name, described(gap));
  const finding = `trainer and sampler disagree: ${described(gap)}`;
  if (isOnlyWithPictures(gap, bound)) {
    return missing(name, `${finding}, only after pictures: one of them rescales them`, normaliseFix);
  }
  return missing(
    name,
    finding,
    'Serve the base model and revision that are trained; start vLLM without --logprobs-mode (raw_logprobs is its default); train on one GPU, since sharded weights may be synchronised wrongly.',
  );
}

function syncCheck(before: ProbabilityGap, { gap, movement, learningRate, samplerIsUnchanged }: StepReport): Check {
  const name = 'weight sync';
  const limit = bound * Math.max(1, movement);
  const moved = `a step of ${learningRate} moved log-probabilities by ${nats(movement)} nats`;
  if (!(movement > 0.01)) {
    return missing(name, moved, 'Check that the server trains: its optimiser, and its log for skipped steps.');
  }
  const finding = `${moved}; gap ${described(gap)}`;
  if (isSmall(gap, limit)) return ready(name, finding);
  if (!isSmall(before, bound)) {
    return missing(name, `${finding}; the gap was large before the step`, 'Close the gap of the check before.');
  }
  if (samplerIsUnchanged) {
    const stale = `${finding}: the sampler still has the weights from before the step`;
    return missing(name, stale, `Point the trainer at the vLLM of --sampler. ${adapterFix}`);
  }
  if (isOnlyWithPictures(gap, limit)) {
    return missing(name, `${finding}: the sampler leaves out the adapter's vision modules`, visionFix);
  }
  const fix =
    'Check the log of vLLM for modules of the adapter that it leaves out, and that no other run trains the model.';
  return missing(name, `${finding}: the sampler has stale weights, or a part of them`, `${fix} ${visionFix}`);
}

/** Looks for vision modules, which vLLM leaves out. The check is omitted for a server without archives. */
async function adapterCheck(probe: EngineProbe, { withPictures }: ProbabilityGap): Promise<Check[]> {
  const name = 'adapter';
  const weights = probe.sampler.weights;
  if (!weights) return [];
  let tensors: string[] | undefined;
  try {
    tensors = await adapterTensors(await probe.client.archive(weights.path));
  } catch (error) {
    if (!(error instanceof GyreError)) throw error;
  }
  if (!tensors) {
    const fix = 'Rely on the weight sync: vision modules show as a gap with pictures after the step.';
    return [optional(name, 'its modules are unknown: the server gives no archive of the adapter', fix)];
  }
  const count = tensors.filter((tensor) => /visual|vision/.test(tensor)).length;
  if (count === 0) return [ready(name, `${tensors.length} tensors, none of a vision module`)];
  const finding = `${count} of ${tensors.length} tensors are of vision modules`;
  if (withPictures <= bound) return [ready(name, `${finding}, and the sampler applies them`)];
  return [missing(name, `${finding}, which vLLM leaves out`, visionFix)];
}
