import { SampleOrigin } from '@gyre/lake';
import { z } from 'zod';

const count = z.int().nonnegative();
const some = z.int().positive();
const positive = z.number().positive();
const share = z.number().min(0).max(1);

/** Shares divide the training time; 0 skips a stage. */
export const CycleSettings = z.strictObject({
  evaluate: some.default(100).describe('dev episodes per family, before the first cycle and after each'),
  ct: z
    .strictObject({
      every: count.default(2).describe('runs in every Nth cycle; 0 for never'),
      share: share.default(0.1),
      steps: some.default(200).describe('maximum number of steps'),
      pages: some.default(8).describe('rendered pages per step'),
      transitions: count
        .default(4)
        .describe('transitions per step: predict the action from the screens before and after; 0 for pages only'),
      learningRate: positive.default(3e-4),
      most: some.default(512).describe('maximum number of pool episodes to draw from'),
    })
    .prefault({})
    .describe('continual training on rendered pages and on the actions of failed episodes'),
  sft: z
    .strictObject({
      share: share.default(0.2),
      steps: some.default(600).describe('maximum number of steps'),
      decisions: some.default(16).describe('decisions per step'),
      pages: count.default(8).describe('rendered pages per step'),
      learningRate: positive.optional().describe('learning rate (default: 3e-4, or 1e-4 for a served policy)'),
      most: some.default(512).describe('maximum number of pool episodes to draw from'),
      thoughts: z
        .strictObject({
          share: share.default(0).describe('share of the decisions without a thought to sample thoughts for'),
          attempts: some.default(4).describe('maximum number of thoughts sampled per decision'),
          temperature: positive.default(1),
        })
        .prefault({})
        .describe('bootstrapped thoughts (STaR): train on sampled thoughts that lead to the recorded action'),
    })
    .prefault({})
    .describe('supervised fine-tuning on successful episodes'),
  mixture: z
    .strictObject({
      replay: share.default(0.3).describe('share of the drawn samples that earlier cycles added to the pool'),
      origins: z
        .partialRecord(SampleOrigin, z.number().nonnegative())
        .default({})
        .describe('sampling weight per origin (default: 1)'),
    })
    .prefault({}),
  rl: z
    .strictObject({
      share: share.default(0.5),
      iterations: some.optional().describe('maximum number of iterations'),
    })
    .prefault({}),
  specialists: z
    .array(z.array(z.string().min(1)).min(1))
    .default([])
    .describe(
      'groups of families: a copy of the policy per group does RL on it, one more on the families in no group; then their weights are averaged',
    ),
  generate: z
    .strictObject({
      share: share.default(0.2),
      tasks: some.default(64).describe('maximum number of train tasks per family, on average'),
      attempts: some.default(3).describe('attempts per task; SFT gets the best one'),
      temperatures: z
        .array(positive)
        .min(1)
        .default([1, 0.7])
        .describe('sampling temperatures of the attempts, in turn'),
    })
    .prefault({})
    .describe('rejection sampling'),
  patience: count.default(3).describe('stop after this many cycles without a gain on the dev split; 0 for never'),
  turns: some.optional().describe('start no cycle after this many turns, evaluation included'),
  diskGiB: positive.optional().describe('start no cycle once the directory is larger than this'),
});
export type CycleSettings = z.output<typeof CycleSettings>;
