import { z } from 'zod';
import { Size } from '../action/point.js';
import { Part } from '../error.js';
import { Split } from './task.js';

const short = z.string().min(1).max(200);

/** The policy that plays a job. Workers take only jobs of the policy that they run. */
export const JobPolicy = z.discriminatedUnion('kind', [
  /** The weights under training: this announced version or a newer one. */
  z.strictObject({ kind: z.literal('weights'), version: z.int().nonnegative() }),
  /** A model behind an OpenAI-compatible server. */
  z.strictObject({ kind: z.literal('model'), url: z.string().min(1).max(2_048), name: short.optional() }),
  z.strictObject({ kind: z.literal('named'), name: z.enum(['nano', 'oracle', 'random']) }),
]);
export type JobPolicy = z.infer<typeof JobPolicy>;

/** One episode to play somewhere else. */
export const RolloutJob = z.strictObject({
  /** Separates the jobs of runs: only jobs with equal fields are the same episode. */
  run: short,
  family: short,
  split: Split,
  /** Identifies the task within its family. */
  seed: z.int().nonnegative(),
  /** In px. Default: the family's. */
  size: Size.optional(),
  /** Counts attempts at one task, such as those of a GRPO group. */
  attempt: z.int().nonnegative(),
  sampleSeed: z.int().nonnegative(),
  purpose: short,
  policy: JobPolicy,
});
export type RolloutJob = z.infer<typeof RolloutJob>;

/** How a job ended. An infrastructure fault is never an episode. */
export const JobResult = z.discriminatedUnion('state', [
  /** The episode with the job's id is durable, and has a verdict. */
  z.strictObject({ state: z.literal('stored'), worker: short }),
  z.strictObject({ state: z.literal('given_up'), message: z.string().max(2_000), part: Part.optional() }),
]);
export type JobResult = z.infer<typeof JobResult>;

/** Weights that workers fetch, by content. */
export const AnnouncedWeights = z.strictObject({
  /** Rises by 1 with each announcement. */
  version: z.int().nonnegative(),
  /** In the store that also carries the episodes. */
  key: z.string().regex(/^weights\/\d{1,4}\.safetensors$/),
  bytes: z.int().positive(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type AnnouncedWeights = z.infer<typeof AnnouncedWeights>;
