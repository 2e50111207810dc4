import { DetectorShape, RecogniserShape } from '@gyre/reader';
import { z } from 'zod';

const positive = z.number().positive();
const count = z.int().positive();

const Schedule = {
  steps: count,
  peak: positive.describe('learning rate after the warm-up'),
  warmup: z.int().nonnegative(),
  decay: count.describe('number of last steps, in which the learning rate decays'),
};

/** The defaults trained gyre's own reader. */
export const ReaderRecipe = z.strictObject({
  seed: z.int().nonnegative().default(1),
  recogniser: z
    .strictObject({
      ...Schedule,
      steps: Schedule.steps.default(16_000),
      peak: Schedule.peak.default(2e-3),
      warmup: Schedule.warmup.default(200),
      decay: Schedule.decay.default(6000),
      shape: RecogniserShape.prefault({}),
      batch: z
        .strictObject({
          strips: count.default(8),
          stripWidth: count.multipleOf(4).default(640),
          places: count.default(384).describe('characters per step that are classified'),
        })
        .prefault({}),
      pages: count.default(800).describe('pages of 300 lines'),
      taskPages: count.default(120).describe('pages of screens of tasks: every second page is one'),
    })
    .prefault({}),
  detector: z
    .strictObject({
      ...Schedule,
      steps: Schedule.steps.default(5000),
      peak: Schedule.peak.default(2e-3),
      warmup: Schedule.warmup.default(100),
      decay: Schedule.decay.default(2500),
      shape: DetectorShape.prefault({}),
      batch: z
        .strictObject({
          pictures: count.default(8),
          side: count.multipleOf(16).default(160).describe('side of the pictures, in px'),
        })
        .prefault({}),
      pages: count.default(200).describe('pages of lines'),
      taskPages: count.default(120).describe('pages of screens of tasks'),
    })
    .prefault({}),
});
export type ReaderRecipe = z.infer<typeof ReaderRecipe>;
