import { basePolicyName } from '@gyre/engine';
import type { GyreError } from '@gyre/protocol';
import { familyOf } from '@gyre/tasks';
import { z } from 'zod';
import { CycleSettings } from './cycleSettings.js';

const family = z.string().superRefine((name, context) => {
  try {
    const played = familyOf(name);
    if (played.heldOut) context.addIssue(`${name} is for measuring only; practise another family`);
    if (played.kind !== undefined && played.kind !== 'browser') {
      context.addIssue(`${name} is played on a ${played.kind}; practise a family that is played in a browser`);
    }
  } catch (error) {
    context.addIssue(`${(error as GyreError).message}; ${(error as GyreError).detail.fix ?? ''}`);
  }
});
const count = z.int().nonnegative();
const positive = z.number().positive();

const byFamily = <T extends z.ZodType>(value: T) => z.record(family, value);

export const fromScratch = 'scratch';

const Given = z.strictObject({
  seed: z.int().nonnegative().default(1).describe('seeds weights, tasks, sampling and shuffling'),
  from: z
    .string()
    .min(1)
    .default(basePolicyName)
    .describe(
      'weights to begin with: a checkpoint; basePolicyName, those that come with gyre; or scratch: random ones, which first learn letters, and from demonstrations',
    ),
  minutes: positive.default(13.5).describe('the whole run, evaluation included, without set-up'),
  cycles: z.int().positive().default(2).describe('how often it goes round, at most'),
  threads: z.int().positive().default(2).describe('threads of one graph run'),
  browsers: z.int().positive().default(2),
  sessions: z.int().positive().default(32).describe('episodes at once'),
  evaluate: z
    .union([z.int().positive(), byFamily(z.int().positive())])
    .optional()
    .describe('held-out episodes for start and trained; of each family, or by family'),
  baselines: z.int().positive().default(200).describe('of them, how many random and oracle play, at most'),
  families: z
    .array(family)
    .min(1)
    .optional()
    .describe('task families that are played, practised and measured; by default three that suit the start'),
  suites: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'paths of task suites from outside gyre: modules, the html folder of MiniWoB++, files of `gyre tasks synth`',
    ),
  bring: z
    .array(z.string().min(1))
    .default([])
    .describe('directories of other runs, whose episodes it learns from too: copied before the first cycle'),
  screen: z
    .strictObject({ width: z.int().positive(), height: z.int().positive() })
    .optional()
    .describe(
      'of the tasks, in px, of families that have several; a small one costs less; by default the usual one of each',
    ),
  demonstrations: byFamily(count)
    .optional()
    .describe(
      'episodes of the oracle that it learns from before it practises, by family; by default none but from scratch',
    ),
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
      peak: positive.optional().describe('learning rate; by default 2e-3 from scratch, else 5e-4'),
      glyphWeight: z
        .number()
        .nonnegative()
        .optional()
        .describe('of reading beside answering, on rendered pages; by default 3 from scratch, else none'),
      perception: count.default(8).describe('rendered pages in a step'),
      demonstrations: z.int().positive().default(12).describe('decisions in a step'),
      mix: byFamily(positive).default({}).describe('share of the decisions, by family; 1 where it says nothing'),
      thoughts: z
        .boolean()
        .default(true)
        .describe('learn the thoughts of demonstrations with their actions; without them it learns to act at once'),
    })
    .prefault({}),
  ppo: z
    .strictObject({
      learningRate: positive.default(2e-4),
      warmup: count.default(2).describe('iterations over which the learning rate rises'),
      clipLow: positive.default(0.2),
      clipHigh: positive.default(0.28),
      dualClip: z
        .number()
        .min(1)
        .optional()
        .describe(
          'a token that should become less likely counts so many times its advantage, at most; 3 is usual; by default no bound',
        ),
      epochs: z.int().positive().default(3),
      minibatch: z
        .int()
        .positive()
        .default(64)
        .describe('decisions in an optimiser step; an update is cut into equal ones, as near to it as can be'),
      gamma: z.number().min(0).max(1).default(0.9).describe('discount: rewards come as progress is made'),
      decisions: z.int().positive().default(512).describe('of an iteration, in complete episodes'),
      mix: byFamily(positive)
        .default({})
        .describe('share of the decisions of an iteration, by family; 1 where it says nothing'),
      advantage: z
        .enum(['none', 'critic', 'group'])
        .default('none')
        .describe(
          'returns against those of other episodes at the same turn, decoupled GAE with a critic, or groups of attempts (GRPO)',
        ),
      group: z
        .strictObject({
          size: z.int().min(2).default(8).describe('attempts at each task'),
          normalise: z.boolean().default(true).describe('divide by the deviation of the group'),
          leaveOneOut: z.boolean().default(false).describe('subtract the mean of the others, not of all (RLOO)'),
          filter: z
            .boolean()
            .default(true)
            .describe('leave out groups that all succeeded or all failed, and draw other tasks'),
          draws: z
            .int()
            .positive()
            .default(3)
            .describe('how much more is played for those that are left out: so many times as much in all, at most'),
        })
        .prefault({})
        .describe('with the advantage group'),
      curriculum: z
        .boolean()
        .default(false)
        .describe(
          'of families that tell how hard a task is, most decisions are of the difficulties at which about half succeeds',
        ),
      staleness: count
        .default(0)
        .describe(
          'updates that may lie between the beginning of an episode and the one that learns from it, without the one under way as it begins: with 1 or more, tasks are played while the weights change',
        ),
      behaviourCap: z
        .number()
        .min(1)
        .optional()
        .describe('correct for tokens of older weights, at most by this factor; 5 is usual; by default not at all'),
      imitation: z
        .number()
        .nonnegative()
        .default(0)
        .describe('weight of the cross-entropy of what succeeded, within the update; VAPO has 0.1'),
      entropy: z.number().nonnegative().default(0).describe('weight of the entropy bonus'),
      kl: z
        .number()
        .nonnegative()
        .default(0)
        .describe('weight of the divergence from the weights at the start, per nat, in the reward'),
      reward: z
        .strictObject({
          orm: z
            .string()
            .min(1)
            .optional()
            .describe('weights of a judge, of train orm: what it finds is the reward, not what the task gives'),
          format: z.number().nonnegative().default(0).describe('for each turn with an action that was carried out'),
          length: z.number().nonnegative().default(0).describe('taken away for each sampled token'),
        })
        .prefault({})
        .describe('what episodes are learnt from, beside or instead of the rewards of the task'),
      lambdaCritic: z.number().min(0).max(1).default(1),
      lambdaPolicy: z.union([z.number().min(0).max(1), z.literal('adaptive')]).default(0.95),
      alpha: positive
        .default(0.05)
        .describe(
          'of the length-adaptive lambda, 1 - 1 / (alpha n) for an episode of n decisions: 0 up to 1 / alpha decisions',
        ),
      criticEpisodes: count
        .default(1500)
        .describe('of value pretraining, by the policy as it is before the first update; 0 for none'),
      criticLearningRate: positive.default(3e-4),
      criticEpochs: z.int().positive().default(1).describe('of the critic in an update, at most epochs'),
      valueClip: positive.default(0.2),
      freezeEncoder: z.boolean().default(true),
      replay: z
        .strictObject({
          steps: count
            .optional()
            .describe('after each update, at most; 0 for PPO alone; by default 40 from scratch, else 20'),
          decisions: z
            .int()
            .positive()
            .default(16)
            .describe('in a step: of demonstrations, and of what succeeded in rollouts'),
          perception: count.default(8).describe('rendered pages in a step'),
          learningRate: positive.default(5e-4),
        })
        .prefault({})
        .describe('supervised steps on what succeeded, on demonstrations and on perception data'),
    })
    .prefault({}),
  cycle: CycleSettings.prefault({}).describe('what each cycle does'),
});

const defaultEvaluation = 250;

type ByFamily = Readonly<Record<string, number>>;

interface Starting {
  families: readonly string[];
  evaluate: ByFamily;
  demonstrations: (families: readonly string[]) => Record<string, number>;
  sft: { peak: number; glyphWeight: number; mix: ByFamily };
  ppo: { mix: ByFamily; replay: { steps: number } };
}

const scratchDefaults: Starting = {
  families: ['click', 'form', 'maze'],
  evaluate: {},
  demonstrations: (families) => {
    const defaults: ByFamily = { click: 300, form: 400, maze: 600 };
    return Object.fromEntries(families.map((name) => [name, defaults[name] ?? 400]));
  },
  sft: { peak: 2e-3, glyphWeight: 3, mix: { click: 0.3, form: 0.9, maze: 1.8 } },
  ppo: { mix: { click: 0.9, form: 1.5, maze: 0.6 }, replay: { steps: 40 } },
};

/** A game unseen by the base policy, and widgets that it solves half of the time. */
const weightsDefaults: Starting = {
  families: ['vault', 'menu', 'tabs'],
  evaluate: {},
  demonstrations: () => ({}),
  sft: { peak: 5e-4, glyphWeight: 0, mix: {} },
  ppo: { mix: {}, replay: { steps: 20 } },
};

export const defaultFamilies = { fromScratch: scratchDefaults.families, fromWeights: weightsDefaults.families };

export const Settings = Given.transform((input, context) => {
  const start = input.from === fromScratch ? scratchDefaults : weightsDefaults;
  const families = input.families ?? [...start.families];
  for (const name of input.screen ? families : []) {
    try {
      familyOf(name).create('train', 0, input.screen);
    } catch (error) {
      const message = `${(error as GyreError).message}; ${(error as GyreError).detail.fix ?? ''}`;
      context.issues.push({ code: 'custom', message, path: ['screen'], input: input.screen });
    }
  }
  const practised = new Set<string>();
  for (const [vertical, names] of input.cycle.specialists.entries()) {
    for (const [index, name] of names.entries()) {
      const wrong = !families.includes(name)
        ? 'is none of the families'
        : practised.has(name)
          ? 'has a specialist'
          : '';
      const path = ['cycle', 'specialists', vertical, index];
      if (wrong !== '') context.issues.push({ code: 'custom', message: `${name} ${wrong}`, path, input: name });
      practised.add(name);
    }
  }
  const { evaluate = {}, sft, ppo } = input;
  const ofThese = (all: ByFamily): Record<string, number> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => families.includes(name)));
  const isHeldOut = (name: string) =>
    typeof evaluate === 'number' ? evaluate : (evaluate[name] ?? start.evaluate[name] ?? defaultEvaluation);
  return {
    ...input,
    families,
    evaluate: Object.fromEntries(families.map((name) => [name, isHeldOut(name)])),
    demonstrations: input.demonstrations ?? start.demonstrations(families),
    sft: {
      ...sft,
      peak: sft.peak ?? start.sft.peak,
      glyphWeight: sft.glyphWeight ?? start.sft.glyphWeight,
      mix: { ...ofThese(start.sft.mix), ...sft.mix },
    },
    ppo: {
      ...ppo,
      mix: { ...ofThese(start.ppo.mix), ...ppo.mix },
      replay: {
        ...ppo.replay,
        steps: ppo.replay.steps ?? start.ppo.replay.steps,
      },
    },
  };
});
export type Settings = z.output<typeof Settings>;
export type GivenSettings = z.input<typeof Settings>;
