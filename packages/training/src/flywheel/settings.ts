import { basePolicyName } from '@gyre/engine';
import type { GyreError } from '@gyre/protocol';
import { familyOf } from '@gyre/tasks';
import { z } from 'zod';
import { expectForkable } from '../algorithms/vineppo.js';
import { expectServedRun } from '../served/unsupported.js';
import { ServedSettings } from '../served/servedSettings.js';
import { CycleSettings } from './cycleSettings.js';

const family = z.string().superRefine((name, context) => {
  try {
    const played = familyOf(name);
    if (played.heldOut) context.addIssue(`${name} is held out for evaluation; choose another family`);
    if (played.kind !== undefined && played.kind !== 'browser') {
      context.addIssue(`${name} runs on a ${played.kind}; choose a family that runs in a browser`);
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
  seed: z.int().nonnegative().default(1).describe('seed of weights, tasks, sampling and shuffling'),
  from: z
    .string()
    .min(1)
    .default(basePolicyName)
    .describe(
      'weights to start from: a checkpoint, base or pixels (those of gyre, with a reader and without), or scratch (random, trained on letters and demonstrations first)',
    ),
  architecture: z
    .enum(['pixels', 'nano', 'micro'])
    .optional()
    .describe(
      'architecture of random weights: pixels (learns letters first), or nano or micro, which have a reader (default: pixels)',
    ),
  screenReader: z
    .string()
    .min(1)
    .optional()
    .describe(
      'reader of the screen, for policies that have one: own, paddle, or a folder with the weights of gyre train reader or the models of PP-OCR (default: own)',
    ),
  served: ServedSettings.optional().describe('trains a policy behind servers instead of a native one'),
  minutes: positive.default(13.5).describe('time budget of the whole run, evaluation included, setup excluded'),
  cycles: z.int().positive().default(2).describe('maximum number of cycles'),
  threads: z.int().positive().default(2).describe('engine threads'),
  browsers: z.int().positive().default(2),
  sessions: z.int().positive().default(32).describe('parallel episodes'),
  evaluate: z
    .union([z.int().positive(), byFamily(z.int().positive())])
    .optional()
    .describe('held-out episodes of start and trained: one number for all families, or one per family'),
  baselines: z.int().positive().default(200).describe('maximum number of these episodes that random and oracle play'),
  families: z
    .array(family)
    .min(1)
    .optional()
    .describe('task families to train on and evaluate (default: three that suit the start weights)'),
  suites: z
    .array(z.string().min(1))
    .default([])
    .describe('paths of external task suites: modules, the html folder of MiniWoB++, pools of `gyre tasks synth`'),
  bring: z
    .array(z.string().min(1))
    .default([])
    .describe('directories of other runs whose episodes are copied before the first cycle'),
  screen: z
    .strictObject({ width: z.int().positive(), height: z.int().positive() })
    .optional()
    .describe('screen in px, for families with several; smaller is cheaper (default: the usual one of each)'),
  demonstrations: byFamily(count)
    .optional()
    .describe('oracle episodes per family to train on before the first cycle (default: none, except from scratch)'),
  letters: z
    .strictObject({
      share: z.number().min(0).max(1).default(0.085).describe('share of the minutes'),
      peak: positive.default(6e-3),
      batch: z.int().positive().default(8).describe('rendered pages per step'),
      passes: z.int().positive().default(3).describe('times that each rendered page is used'),
    })
    .prefault({})
    .describe('trains the stem to recognise letters'),
  sft: z
    .strictObject({
      share: z.number().min(0).max(1).default(0.18).describe('share of the minutes'),
      peak: positive
        .optional()
        .describe('learning rate (default: 2e-3 from scratch, 1e-4 for a served policy, 5e-4 otherwise)'),
      glyphWeight: z
        .number()
        .nonnegative()
        .optional()
        .describe(
          'weight of the reading loss, added to the answer loss on rendered pages (default: 3 from scratch, 0 otherwise)',
        ),
      perception: count.default(8).describe('rendered pages per step'),
      demonstrations: z.int().positive().default(12).describe('decisions per step'),
      mix: byFamily(positive).default({}).describe('relative share of the decisions, per family (default: 1)'),
      thoughts: z
        .boolean()
        .optional()
        .describe(
          'train on the thoughts of demonstrations too; without them the policy acts at once (default: true from scratch and for a served policy, false otherwise)',
        ),
    })
    .prefault({}),
  ppo: z
    .strictObject({
      learningRate: positive.optional().describe('learning rate (default: 2e-4, or 4e-5 for a served policy)'),
      warmup: count.default(2).describe('warm-up of the learning rate, in iterations'),
      clipLow: positive.default(0.2),
      clipHigh: positive.default(0.28),
      dualClip: z
        .number()
        .min(1)
        .optional()
        .describe(
          'dual-clip bound: a token with a negative advantage counts at most this many times; usually 3 (default: no bound)',
        ),
      epochs: z
        .int()
        .positive()
        .optional()
        .describe('passes over the decisions (default: 3, or 1 for a served policy)'),
      minibatch: z
        .int()
        .positive()
        .default(64)
        .describe('decisions per optimiser step; an update is split into equal minibatches of about this size'),
      gamma: z.number().min(0).max(1).default(0.9).describe('discount per turn'),
      decisions: z.int().positive().default(512).describe('decisions per iteration, in complete episodes'),
      mix: byFamily(positive)
        .default({})
        .describe('relative share of the decisions of an iteration, per family (default: 1)'),
      advantage: z
        .enum(['none', 'critic', 'group', 'vineppo'])
        .default('none')
        .describe(
          'none: returns relative to other episodes at the same turn; critic: decoupled GAE; group: attempts at the same task (GRPO); vineppo: values by playing on from forks of the episode',
        ),
      group: z
        .strictObject({
          size: z.int().min(2).default(8).describe('attempts per task'),
          normalise: z.boolean().default(true).describe('divide by the standard deviation of the group'),
          leaveOneOut: z.boolean().default(false).describe('subtract the mean of the other attempts only (RLOO)'),
          filter: z.boolean().default(true).describe('replace groups that all succeeded or all failed by other tasks'),
          draws: z
            .int()
            .positive()
            .default(3)
            .describe('with filter: play at most this many times the usual number of groups'),
        })
        .prefault({})
        .describe('used with advantage: group'),
      vineppo: z
        .strictObject({
          every: z
            .int()
            .positive()
            .default(4)
            .describe('decisions from one valued state to the next, from the first one on; 1 in VinePPO'),
          continuations: z.int().positive().default(4).describe('continuations per valued state; 9 in VinePPO'),
        })
        .prefault({})
        .describe('used with advantage: vineppo'),
      curriculum: z
        .boolean()
        .default(false)
        .describe('in families with several difficulties, prefer those that about half of the attempts solve'),
      staleness: count
        .default(0)
        .describe(
          'updates allowed between the start of an episode and the update that trains on it, without one that was running at the start; with 1 or more, rollouts and updates overlap',
        ),
      behaviourCap: z
        .number()
        .min(1)
        .optional()
        .describe(
          'cap of the importance weights that correct for tokens of older weights; usually 5 (default: no correction)',
        ),
      imitation: z
        .number()
        .nonnegative()
        .default(0)
        .describe('weight of the cross-entropy of successful episodes, within the update; 0.1 in VAPO'),
      entropy: z.number().nonnegative().default(0).describe('weight of the entropy bonus'),
      kl: z.number().nonnegative().default(0).describe('reward penalty per nat of divergence from the start weights'),
      reward: z
        .strictObject({
          orm: z
            .string()
            .min(1)
            .optional()
            .describe('checkpoint of `gyre train orm`, whose judgement replaces the reward of the task'),
          format: z.number().nonnegative().default(0).describe('reward per turn with an executed action'),
          length: z.number().nonnegative().default(0).describe('penalty per sampled token'),
        })
        .prefault({})
        .describe('rewards in addition to those of the task, or instead of them'),
      lambdaCritic: z.number().min(0).max(1).default(1),
      lambdaPolicy: z.union([z.number().min(0).max(1), z.literal('adaptive')]).default(0.95),
      alpha: positive
        .default(0.05)
        .describe(
          'parameter of the length-adaptive lambda, 1 - 1 / (alpha n) for an episode of n decisions and 0 up to 1 / alpha decisions',
        ),
      criticEpisodes: count
        .default(1500)
        .describe('episodes of value pretraining, played before the first update; 0 for none'),
      criticLearningRate: positive.default(3e-4),
      criticEpochs: z.int().positive().default(1).describe('critic epochs per update, no more than epochs'),
      valueClip: positive.default(0.2),
      freezeEncoder: z
        .boolean()
        .optional()
        .describe('keeps the encoder of screenshots as it is (default: true, or false for a served policy)'),
      replay: z
        .strictObject({
          steps: count
            .optional()
            .describe(
              'maximum steps after each update; 0 for PPO alone (default: 40 from scratch, 0 for a served policy, 20 otherwise)',
            ),
          decisions: z
            .int()
            .positive()
            .default(16)
            .describe('decisions per step, from demonstrations and successful rollouts'),
          perception: count.default(8).describe('rendered pages per step'),
          learningRate: positive.optional().describe('learning rate (default: 5e-4, or 1e-4 for a served policy)'),
        })
        .prefault({})
        .describe('supervised steps on successful rollouts, demonstrations and perception data'),
    })
    .prefault({}),
  cycle: CycleSettings.prefault({}).describe('stages of each cycle'),
});

const defaultEvaluation = 250;

type ByFamily = Readonly<Record<string, number>>;

interface Starting {
  families: readonly string[];
  evaluate: ByFamily;
  demonstrations: (families: readonly string[]) => Record<string, number>;
  sft: { peak: number; glyphWeight: number; mix: ByFamily; thoughts: boolean };
  ppo: {
    learningRate: number;
    epochs: number;
    freezeEncoder: boolean;
    mix: ByFamily;
    replay: { steps: number; learningRate: number };
  };
  cycle: { sft: { learningRate: number } };
}

const nativeUpdate = { learningRate: 2e-4, epochs: 3, freezeEncoder: true };
const nativeReplay = { learningRate: 5e-4 };
const nativeCycle = { sft: { learningRate: 3e-4 } };

const scratchDefaults: Starting = {
  families: ['click', 'form', 'maze'],
  evaluate: {},
  demonstrations: (families) => {
    const defaults: ByFamily = { click: 300, form: 400, maze: 600 };
    return Object.fromEntries(families.map((name) => [name, defaults[name] ?? 400]));
  },
  sft: { peak: 2e-3, glyphWeight: 3, mix: { click: 0.3, form: 0.9, maze: 1.8 }, thoughts: true },
  ppo: { ...nativeUpdate, mix: { click: 0.9, form: 1.5, maze: 0.6 }, replay: { ...nativeReplay, steps: 40 } },
  cycle: nativeCycle,
};

/** A widget and an app that the base policy has never seen, and a game. */
const weightsDefaults: Starting = {
  families: ['search', 'maze', 'settings.switch'],
  evaluate: {},
  demonstrations: () => ({}),
  sft: { peak: 5e-4, glyphWeight: 0, mix: {}, thoughts: false },
  ppo: { ...nativeUpdate, mix: {}, replay: { ...nativeReplay, steps: 20 } },
  cycle: nativeCycle,
};

/** Rates are those of LoRA adapters. Each pass sends the pictures again. */
const servedDefaults: Starting = {
  ...weightsDefaults,
  sft: { peak: 1e-4, glyphWeight: 0, mix: {}, thoughts: true },
  ppo: {
    learningRate: 4e-5,
    epochs: 1,
    freezeEncoder: false,
    mix: {},
    replay: { steps: 0, learningRate: 1e-4 },
  },
  cycle: { sft: { learningRate: 1e-4 } },
};

export const defaultFamilies = { fromScratch: scratchDefaults.families, fromWeights: weightsDefaults.families };

export const Settings = Given.transform((input, context) => {
  const start = input.served ? servedDefaults : input.from === fromScratch ? scratchDefaults : weightsDefaults;
  const families = input.families ?? [...start.families];
  for (const name of input.screen ? families : []) {
    try {
      familyOf(name).create('train', 0, input.screen);
    } catch (error) {
      const message = `${(error as GyreError).message}; ${(error as GyreError).detail.fix ?? ''}`;
      context.issues.push({ code: 'custom', message, path: ['screen'], input: input.screen });
    }
  }
  if (input.architecture !== undefined && input.from !== fromScratch) {
    const message = `needs from: ${fromScratch}; other weights decide their architecture`;
    context.issues.push({ code: 'custom', message, path: ['architecture'], input: input.architecture });
  }
  for (const expectation of [expectForkable, expectServedRun]) {
    try {
      expectation({ ...input, families });
    } catch (error) {
      const { message, detail } = error as GyreError;
      const path = detail.field?.split('.') ?? [];
      context.issues.push({ code: 'custom', message: `${message}; ${detail.fix ?? ''}`, path, input: input.ppo });
    }
  }
  const practised = new Set<string>();
  for (const [vertical, names] of input.cycle.specialists.entries()) {
    for (const [index, name] of names.entries()) {
      const wrong = !families.includes(name)
        ? 'is not one of the families'
        : practised.has(name)
          ? 'already has a specialist'
          : '';
      const path = ['cycle', 'specialists', vertical, index];
      if (wrong !== '') context.issues.push({ code: 'custom', message: `${name} ${wrong}`, path, input: name });
      practised.add(name);
    }
  }
  const { evaluate = {}, sft, ppo, cycle } = input;
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
      thoughts: sft.thoughts ?? start.sft.thoughts,
      mix: { ...ofThese(start.sft.mix), ...sft.mix },
    },
    ppo: {
      ...ppo,
      learningRate: ppo.learningRate ?? start.ppo.learningRate,
      epochs: ppo.epochs ?? start.ppo.epochs,
      freezeEncoder: ppo.freezeEncoder ?? start.ppo.freezeEncoder,
      mix: { ...ofThese(start.ppo.mix), ...ppo.mix },
      replay: {
        ...ppo.replay,
        steps: ppo.replay.steps ?? start.ppo.replay.steps,
        learningRate: ppo.replay.learningRate ?? start.ppo.replay.learningRate,
      },
    },
    cycle: {
      ...cycle,
      sft: { ...cycle.sft, learningRate: cycle.sft.learningRate ?? start.cycle.sft.learningRate },
    },
  };
});
export type Settings = z.output<typeof Settings>;
export type GivenSettings = z.input<typeof Settings>;
