import { longestAction } from '@gyre/engine';
import { Size } from '@gyre/protocol';
import { families, widgetFamilies } from '@gyre/tasks';
import { z } from 'zod';

const count = z.int().nonnegative();
const positive = z.number().positive();

const StepKind = z.discriminatedUnion('learns', [
  z.strictObject({
    learns: z.literal('pages'),
    size: Size,
    pages: z.int().positive(),
    asked: z.enum(['places', 'texts']),
    questions: z.int().positive(),
    /** Longer answers are omitted: all others would be padded to them. */
    longest: z.int().positive().max(longestAction).default(longestAction),
    /** `tasks`: pages that look like the task families. */
    looks: z.enum(['all', 'tasks']).default('all'),
    share: positive,
  }),
  z.strictObject({
    learns: z.literal('demonstrations'),
    decisions: z.int().positive(),
    /** Default: all families with demonstrations. */
    families: z.array(z.string().min(1)).min(1).optional(),
    share: positive,
  }),
]);
export type StepKind = z.infer<typeof StepKind>;

type PagesKind = Extract<StepKind, { learns: 'pages' }>;
type Shape = readonly [width: number, height: number, pages: number, questions: number];

const places = (share: number, [width, height, pages, questions]: Shape): PagesKind => ({
  learns: 'pages',
  size: { width, height },
  pages,
  asked: 'places',
  questions,
  longest: longestAction,
  looks: 'all',
  share,
});
const plain = (kind: PagesKind): PagesKind => ({ ...kind, looks: 'tasks' });
const texts = (share: number, longest: number, shape: Shape): PagesKind => ({
  ...places(share, shape),
  asked: 'texts',
  longest,
});

const demonstrations = (share: number, families?: string[]): StepKind => ({
  learns: 'demonstrations',
  decisions: 16,
  ...(families && { families }),
  share,
});

/** Held out of the pixel policy, to measure transfer and RL. */
const transferFamilies: readonly string[] = ['dropdown', 'accordion', 'vault'];

const isShown = (name: string): boolean => !transferFamilies.includes(name);
const ofNoWidget = Object.keys(families).filter(isShown);
const demonstrated = [...ofNoWidget, ...Object.keys(widgetFamilies).filter(isShown)];

const mostlyDemonstrations: StepKind[] = [
  plain(places(20, [160, 160, 8, 8])),
  plain(texts(4, 10, [160, 160, 8, 4])),
  places(8, [160, 160, 8, 8]),
  texts(3, 10, [160, 160, 8, 4]),
  texts(2, 24, [160, 160, 6, 4]),
  places(4, [320, 240, 4, 10]),
  texts(1, 24, [320, 240, 3, 5]),
  places(1, [480, 320, 2, 16]),
  places(1, [640, 480, 1, 24]),
  demonstrations(80),
  demonstrations(14, ['click', 'form']),
];

/** A checkpoint's version is its optimiser step. The defaults trained the pixel policy. */
export const CtRecipe = z.strictObject({
  seed: count.default(1),
  steps: z.int().positive().default(120_000),
  letters: z
    .strictObject({ steps: count.default(20_000), peak: positive.default(4e-3), pages: z.int().positive().default(8) })
    .prefault({})
    .describe('first stage: the stem learns to recognise letters'),
  reading: z
    .strictObject({ steps: count.default(6_000), peak: positive.default(2e-3), pages: z.int().positive().default(8) })
    .prefault({})
    .describe('second stage: the encoder learns to read words'),
  peak: positive.default(1e-3).describe('learning rate after the warm-up'),
  warmup: count.default(200),
  decay: count.default(8000).describe('number of last steps, in which the learning rate decays to a twentieth'),
  glyphWeight: z.number().nonnegative().default(3),
  kinds: z.array(StepKind).min(1).default(mostlyDemonstrations),
  lastKinds: z.array(StepKind).min(1).default(mostlyDemonstrations).describe('kinds of steps during the decay'),
  thoughts: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe(
      'share of the demonstrated decisions that are trained with their thought, which takes ten times the tokens',
    ),
  demonstrations: z
    .strictObject({
      each: count.default(750),
      of: z.record(z.string(), count).default({ click: 4000, form: 3000, maze: 800 }),
    })
    .prefault({})
    .describe('oracle episodes per family: each by default, of for exceptions. Too few are memorised'),
  families: z.array(z.string().min(1)).default(demonstrated).describe('families to demonstrate'),
  suites: z.array(z.string().min(1)).default([]).describe('paths of external task suites'),
});
export type CtRecipe = z.infer<typeof CtRecipe>;
