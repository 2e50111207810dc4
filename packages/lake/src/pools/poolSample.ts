import { type Episode, GyreError, type Task, Verdict, VerdictSource } from '@gyre/protocol';
import { z } from 'zod';

/** What learns from a pool: continual training, supervised fine-tuning, or reinforcement learning. */
export const PoolStage = z.enum(['ct', 'sft', 'rl']);
export type PoolStage = z.infer<typeof PoolStage>;
export const poolStages: readonly PoolStage[] = PoolStage.options;

/** How the episode of a sample came about. */
export const SampleOrigin = z.enum(['demonstration', 'rollout', 'rejection', 'imported', 'captured']);
export type SampleOrigin = z.infer<typeof SampleOrigin>;

/** Turns of an episode to learn from, with what decides where they belong. Only the split `train` can be said. */
export const PoolSample = z.strictObject({
  episode: z.string().min(1),
  turns: z.union([z.literal('all'), z.array(z.int().nonnegative()).min(1)]),
  family: z.string().min(1),
  split: z.literal('train'),
  policy: z.string().min(1),
  /** Of the oldest weights that sampled any of the turns; absent for a policy that does not learn. */
  policyVersion: z.int().nonnegative().optional(),
  verdict: Verdict.omit({ evidence: true })
    .extend({ source: VerdictSource.exclude(['agent']) })
    .optional(),
  /** The cycle of the flywheel that put it here; 0 is the cold start. */
  cycle: z.int().nonnegative(),
  origin: SampleOrigin,
  /** As it was said of an episode that was not run here. */
  licence: z.string().min(1).optional(),
  /** How often it is drawn against the others of its kind. */
  weight: z.number().positive(),
  /** What near-duplicates are known by. */
  look: z.strictObject({
    /** Of family, instruction and actions, points rounded: SHA-256, its first 16 hex digits. */
    text: z.string().regex(/^[0-9a-f]{16}$/),
    /** Perceptual hash of the first screen that it learns from, 64 bits in hex. */
    screen: z.string().regex(/^[0-9a-f]{16}$/),
  }),
});
export type PoolSample = z.infer<typeof PoolSample>;

/**
 * Whether a task may be learnt from: of the split `train`, and with an id (`family/split/seed`) that says no other. Nothing that measures
 * may.
 */
export function isOfTrain({ id, split }: Pick<Task, 'id' | 'split'>): boolean {
  const named = /\/(train|dev|test)\/\d+$/.exec(id)?.[1] ?? split;
  return split === 'train' && named === 'train';
}

/** @throws GyreError `bad_input` for a task that may not be learnt from. */
export function expectTrain(task: Pick<Task, 'id' | 'split'>): void {
  if (isOfTrain(task)) return;
  throw new GyreError('bad_input', `task ${task.id}, of the split ${task.split}, is for measuring`, {
    field: 'episode.task.split',
    fix: 'leave it out: only tasks of the train split may be learnt from',
  });
}

/** @throws GyreError `bad_input` for an episode whose agent has judged itself. */
export function expectIndependent({ id, verdict }: Pick<Episode, 'id' | 'verdict'>): void {
  if (verdict?.source !== 'agent') return;
  throw new GyreError('bad_input', `episode ${id} was judged by its own agent`, {
    field: 'episode.verdict.source',
    fix: 'leave it out: give outcomes of captured agents with the token of the operator',
  });
}

/** The oldest version of the weights that sampled any turn; undefined where none was sampled. */
export function policyVersionOf({ turns }: Pick<Episode, 'turns'>): number | undefined {
  const versions = turns.flatMap(({ sample }) => (sample ? [sample.policyVersion] : []));
  return versions.length > 0 ? Math.min(...versions) : undefined;
}
