import { Size } from '@gyre/protocol';
import { z } from 'zod';

const count = z.int().nonnegative();
const positive = z.number().positive();

const Demonstrations = z.strictObject({
  families: z.array(z.string().min(1)).min(1).describe('suites, names or patterns of families'),
  screen: Size.optional().describe('in px; default: the one of the family'),
  each: z.int().positive().describe('oracle episodes per family'),
  practice: count.default(0).describe('episodes per family and round of practice'),
  share: positive.describe('share of the decisions, relative to the other sources'),
});

const Pages = z.strictObject({
  size: Size,
  looks: z.enum(['all', 'tasks']).default('all'),
  questions: z.int().positive().describe('at most, per page'),
  share: positive.describe('share of the decisions, relative to the other sources'),
});

/** A recipe for imitating oracles with a reader. A checkpoint's version is its step. */
export const BaseRecipe = z.strictObject({
  seed: count.default(1),
  size: z.enum(['nano', 'micro']).default('nano'),
  steps: z.int().positive().default(1200),
  batch: z.int().positive().default(48).describe('decisions per step'),
  optimiser: z.enum(['adamw', 'muon']).default('muon'),
  peak: positive.default(2e-3).describe('learning rate after the warm-up'),
  warmup: count.default(50),
  decay: count.default(700).describe('number of last steps, in which the learning rate falls'),
  practiceEvery: z.int().positive().default(1000).describe('steps between rounds of practice'),
  heldOut: count.default(4).describe('episodes per family by which progress is measured'),
  thoughts: z.number().min(0).max(1).default(0).describe('share of the demonstrated decisions with their thought'),
  demonstrations: z.array(Demonstrations).default([]),
  pages: z.array(Pages).default([]),
  without: z
    .array(z.string().min(1))
    .default([])
    .describe('families held out to measure transfer: suites, names or patterns'),
  suites: z.array(z.string().min(1)).default([]).describe('paths of external task suites'),
});
export type BaseRecipe = z.infer<typeof BaseRecipe>;
