import { Size } from '@gyre/protocol';
import { families, widgetFamilies } from '@gyre/tasks';
import { z } from 'zod';

const count = z.int().nonnegative();
const positive = z.number().positive();

/** One kind of step: what it learns from, and how often it is taken against the others. */
const StepKind = z.discriminatedUnion('learns', [
  z.strictObject({
    learns: z.literal('pages'),
    size: Size,
    /** Pages in a step. */
    pages: z.int().positive(),
    asked: z.enum(['places', 'texts']),
    questions: z.int().positive(),
    share: positive,
  }),
  z.strictObject({ learns: z.literal('demonstrations'), decisions: z.int().positive(), share: positive }),
]);
export type StepKind = z.infer<typeof StepKind>;

const asking =
  (asked: 'places' | 'texts') =>
  (width: number, height: number, pages: number, questions: number, share: number): StepKind => ({
    learns: 'pages',
    size: { width, height },
    pages,
    asked,
    questions,
    share,
  });
const places = asking('places');
const texts = asking('texts');

/** Families that the base policy never sees, to measure what carries over. */
export const transferFamilies: readonly string[] = ['dropdown', 'accordion'];

const demonstrated = [...Object.keys(families), ...Object.keys(widgetFamilies)].filter(
  (name) => !transferFamilies.includes(name),
);

/**
 * Continual training: rendered pages of all sizes, most of them small, because what is learnt there holds for all; and
 * decisions of demonstrations. One optimiser step per step, so that a checkpoint's version says where to go on. The defaults
 * are the recipe of the base policy.
 */
export const CtRecipe = z.strictObject({
  seed: count.default(1),
  steps: z.int().positive().default(40_000),
  letters: z
    .strictObject({ steps: count.default(5000), peak: positive.default(6e-3), pages: z.int().positive().default(8) })
    .prefault({})
    .describe('first the stem learns to see letters'),
  peak: positive.default(1.5e-3).describe('learning rate after the warm-up'),
  warmup: count.default(200),
  decayFrom: z
    .number()
    .min(0)
    .max(1)
    .default(0.7)
    .describe('share of the steps from which the rate falls to a twentieth'),
  glyphWeight: z.number().nonnegative().default(3),
  kinds: z
    .array(StepKind)
    .min(1)
    .default([
      places(160, 160, 8, 8, 34),
      texts(160, 160, 8, 4, 20),
      places(240, 160, 5, 8, 6),
      places(320, 240, 4, 10, 8),
      texts(320, 240, 4, 5, 5),
      places(480, 320, 2, 16, 4),
      places(640, 480, 1, 24, 4),
      texts(640, 480, 1, 10, 2),
      places(1280, 720, 1, 40, 1),
      { learns: 'demonstrations', decisions: 16, share: 16 },
    ]),
  thoughts: z
    .number()
    .min(0)
    .max(1)
    .default(0.25)
    .describe("share of a demonstration's decisions that are learnt with their thought: it costs ten times the tokens"),
  demonstrations: count.default(150).describe('episodes of the oracle for each family'),
  families: z.array(z.string().min(1)).default(demonstrated).describe('families that are demonstrated'),
});
export type CtRecipe = z.infer<typeof CtRecipe>;
