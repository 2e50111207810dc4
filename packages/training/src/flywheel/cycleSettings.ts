import { SampleOrigin } from '@gyre/lake';
import { z } from 'zod';

const count = z.int().nonnegative();
const some = z.int().positive();
const positive = z.number().positive();
const share = z.number().min(0).max(1);

/** Shares divide the training time; 0 skips a stage. */
export const CycleSettings = z.strictObject({
  evaluate: some
    .default(100)
    .describe('episodes of the dev split for each family, before the first cycle and after each'),
  ct: z
    .strictObject({
      every: count.default(2).describe('it is done in every so many cycles; 0 for never'),
      share: share.default(0.1),
      steps: some.default(200).describe('at most'),
      pages: some.default(8).describe('rendered pages in a step'),
      transitions: count
        .default(4)
        .describe('in a step: of the screens before and after, which action it was; 0 for pages alone'),
      learningRate: positive.default(3e-4),
      most: some.default(512).describe('episodes of the pool that it draws from'),
    })
    .prefault({})
    .describe('continual training: on pages, and on what the actions of failed episodes did'),
  sft: z
    .strictObject({
      share: share.default(0.2),
      steps: some.default(600).describe('at most'),
      decisions: some.default(16).describe('in a step'),
      pages: count.default(8).describe('rendered pages in a step'),
      learningRate: positive.default(3e-4),
      most: some.default(512).describe('episodes of the pool that it draws from'),
      thoughts: z
        .strictObject({
          share: share.default(0).describe('of the decisions without a thought, for how many one is looked for'),
          attempts: some.default(4).describe('thoughts that are sampled for each, at most'),
          temperature: positive.default(1),
        })
        .prefault({})
        .describe(
          'thoughts by bootstrapping: the policy thinks, and what leads it to the action that was taken is learnt',
        ),
    })
    .prefault({})
    .describe('supervised fine-tuning on what succeeded'),
  mixture: z
    .strictObject({
      replay: share.default(0.3).describe('of what is drawn from a pool, what earlier cycles have put there'),
      origins: z
        .partialRecord(SampleOrigin, z.number().nonnegative())
        .default({})
        .describe('how often samples of an origin are drawn; 1 where it says nothing'),
    })
    .prefault({}),
  rl: z
    .strictObject({
      share: share.default(0.5),
      iterations: some.optional().describe('at most'),
    })
    .prefault({}),
  specialists: z
    .array(z.array(z.string().min(1)).min(1))
    .default([])
    .describe(
      'groups of families, each of which a copy of the policy practises in RL, those in none together; then the mean of their weights goes on',
    ),
  generate: z
    .strictObject({
      share: share.default(0.2),
      tasks: some.default(64).describe('of the train split for each family on average, at most'),
      attempts: some.default(3).describe('at each task, of which the best is kept for SFT'),
      temperatures: z.array(positive).min(1).default([1, 0.7]).describe('of the attempts, in turn'),
    })
    .prefault({})
    .describe('rejection sampling'),
  patience: count.default(3).describe('it stops after so many cycles without a gain on the dev split; 0 for never'),
  turns: some.optional().describe('no cycle begins after so many turns were played, evaluation included'),
  diskGiB: positive.optional().describe('no cycle begins once the directory has become so large'),
});
export type CycleSettings = z.output<typeof CycleSettings>;
