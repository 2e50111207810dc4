import { base } from '@gyre/engine';
import { z } from 'zod';

const count = z.int().nonnegative();
const positive = z.number().positive();

const shares = (click: number, form: number, maze: number) =>
  z
    .strictObject({ click: positive.default(click), form: positive.default(form), maze: positive.default(maze) })
    .prefault({})
    .describe('share of the decisions, by family');

/** As `from`: random weights. */
export const scratch = 'scratch';

/** Every number of a run. Written in full beside its results. */
export const Settings = z.strictObject({
  seed: z.int().nonnegative().default(1).describe('seeds weights, tasks, sampling and shuffling'),
  from: z
    .string()
    .min(1)
    .default(base)
    .describe(
      'weights to begin with: a checkpoint; base, those that come with gyre; or scratch: random ones, which first learn letters, and from demonstrations',
    ),
  minutes: positive.default(11).describe('the whole run, evaluation included, without set-up'),
  threads: z.int().positive().default(2).describe('threads of one graph run'),
  browsers: z.int().positive().default(2),
  sessions: z.int().positive().default(32).describe('episodes at once'),
  evaluate: z.int().positive().default(250).describe('held-out episodes for each family and policy'),
  greedy: z.int().positive().default(40).describe('of them, how many also greedily'),
  demonstrations: z
    .strictObject({ click: count.default(300), form: count.default(400), maze: count.default(600) })
    .prefault({})
    .describe('episodes of the oracle, by family, where it begins from scratch'),
  letters: z
    .strictObject({
      share: z.number().min(0).max(1).default(0.085).describe('of the minutes'),
      peak: positive.default(6e-3),
      batch: z.int().positive().default(8).describe('rendered pages in a step'),
      passes: z.int().positive().default(3).describe('how often each rendered page is used'),
    })
    .prefault({})
    .describe('the stem learns to see letters'),
  sft: z
    .strictObject({
      share: z.number().min(0).max(1).default(0.18).describe('of the minutes'),
      peak: positive.default(2e-3),
      glyphWeight: z.number().nonnegative().default(3),
      perception: z.int().positive().default(8).describe('rendered pages in a step'),
      demonstrations: z.int().positive().default(12).describe('decisions in a step'),
      mix: shares(0.1, 0.3, 0.6),
    })
    .prefault({}),
  ppo: z
    .strictObject({
      learningRate: positive.default(1.5e-4),
      warmup: count.default(2).describe('iterations over which the learning rate rises'),
      clipLow: positive.default(0.2),
      clipHigh: positive.default(0.28),
      epochs: z.int().positive().default(3),
      minibatch: z.int().positive().default(64),
      gamma: z.number().min(0).max(1).default(0.9).describe('discount: rewards come as progress is made'),
      decisions: z.int().positive().default(512).describe('of an iteration, in complete episodes'),
      // Of the rollouts; of the supervised steps between the updates as well where there are demonstrations.
      mix: shares(0.3, 0.5, 0.2),
      advantage: z.enum(['none', 'critic']).default('none'),
      lambdaCritic: z.number().min(0).max(1).default(1),
      lambdaPolicy: z.union([z.number().min(0).max(1), z.literal('adaptive')]).default(0.95),
      alpha: positive.default(0.05).describe('of the length-adaptive lambda'),
      criticLearningRate: positive.default(3e-4),
      valueClip: positive.default(0.2),
      freezeEncoder: z.boolean().default(true),
      replay: z
        .strictObject({
          steps: count.default(40).describe('after each update, at most; 0 for PPO alone'),
          learningRate: positive.default(3e-4),
        })
        .prefault({})
        .describe('supervised steps on perception data, demonstrations and what succeeded in rollouts'),
    })
    .prefault({}),
});
export type Settings = z.infer<typeof Settings>;
export type FamilyName = keyof Settings['demonstrations'];
