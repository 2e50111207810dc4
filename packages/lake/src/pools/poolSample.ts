import { type Episode, GyreError, type Task, Verdict, VerdictSource } from '@gyre/protocol';
import { z } from 'zod';

export const PoolStage = z.enum(['ct', 'sft', 'rl']);
export type PoolStage = z.infer<typeof PoolStage>;
export const poolStages: readonly PoolStage[] = PoolStage.options;

export const SampleOrigin = z.enum(['demonstration', 'rollout', 'rejection', 'imported', 'captured', 'annotated']);
export type SampleOrigin = z.infer<typeof SampleOrigin>;

export const PoolSample = z.strictObject({
  episode: z.string().min(1),
  turns: z.union([z.literal('all'), z.array(z.int().nonnegative()).min(1)]),
  family: z.string().min(1),
  split: z.literal('train'),
  policy: z.string().min(1),
  /** The oldest weights that sampled any turn. */
  policyVersion: z.int().nonnegative().optional(),
  verdict: Verdict.omit({ evidence: true })
    .extend({ source: VerdictSource.exclude(['agent']) })
    .optional(),
  /** The cycle that added it; 0 is the cold start. */
  cycle: z.int().nonnegative(),
  origin: SampleOrigin,
  /** Set for imported and annotated episodes, if stated. */
  licence: z.string().min(1).optional(),
  /** Name of the person that annotated it. */
  by: z.string().min(1).optional(),
  /** Within its kind. */
  weight: z.number().positive(),
  /** Identifies near-duplicates. */
  look: z.strictObject({
    /** SHA-256 prefix of family, instruction and actions with rounded points. */
    text: z.string().regex(/^[0-9a-f]{16}$/),
    /** Perceptual hash of the first screen. */
    screen: z.string().regex(/^[0-9a-f]{16}$/),
  }),
});
export type PoolSample = z.infer<typeof PoolSample>;

/** Checks the field and the id (`family/split/seed`). */
export function isTrainTask({ id, split }: Pick<Task, 'id' | 'split'>): boolean {
  const named = /\/(train|dev|test)\/\d+$/.exec(id)?.[1] ?? split;
  return split === 'train' && named === 'train';
}

/** @throws GyreError `bad_input` for a task that may not be trained on */
export function requireTrainTask(task: Pick<Task, 'id' | 'split'>): void {
  if (isTrainTask(task)) return;
  throw new GyreError('bad_input', `task ${task.id} of the split ${task.split} is held out for evaluation`, {
    field: 'episode.task.split',
    fix: 'omit it: only tasks of the train split may be trained on',
  });
}

export function requireIndependentVerdict({ id, verdict }: Pick<Episode, 'id' | 'verdict'>): void {
  if (verdict?.source !== 'agent') return;
  throw new GyreError('bad_input', `episode ${id} was judged by its own agent`, {
    field: 'episode.verdict.source',
    fix: "omit it, or send outcomes of captured agents with the operator's token",
  });
}

export function policyVersionOf({ turns }: Pick<Episode, 'turns'>): number | undefined {
  const versions = turns.flatMap(({ sample }) => (sample ? [sample.policyVersion] : []));
  return versions.length > 0 ? Math.min(...versions) : undefined;
}
