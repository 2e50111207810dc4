import { basePolicyName } from '@gyre/engine';
import type { GivenSettings } from './settings.js';

export const presetNames = ['quick', 'standard', 'long'] as const;
export type PresetName = (typeof presetNames)[number];

const twelve = [
  ...['search', 'maze', 'slider', 'datePicker', 'stepper', 'survey'],
  ...['multiField', 'reorder', 'pagination', 'copyPaste', 'keyboardNav', 'toggle'],
];

/** RL gains most per minute; see docs/research. */
const mostlyPractice = {
  ct: { share: 0.05 },
  sft: { share: 0.1 },
  rl: { share: 0.75 },
  generate: { share: 0.1, tasks: 32, attempts: 2 },
};

/** Supervised steps cost a third of PPO's time and gain nothing. */
const alone = { replay: { steps: 0 } };

/** 512 decisions are too few for means by turn over twelve families. */
const ofTwelve = { families: twelve, ppo: { ...alone, decisions: 1536 } };

export const presets: Readonly<Record<PresetName, GivenSettings>> = {
  /** Two cycles, under 15 minutes. */
  quick: {
    cycles: 2,
    minutes: 13.5,
    evaluate: 100,
    baselines: 30,
    ppo: alone,
    cycle: { ...mostlyPractice, evaluate: 40 },
  },
  /** Five cycles of twelve families, about two hours. */
  standard: {
    cycles: 5,
    minutes: 130,
    ...ofTwelve,
    evaluate: 150,
    baselines: 20,
    cycle: { ...mostlyPractice, evaluate: 60 },
  },
  /** Runs until nothing is gained, at most a day. */
  long: {
    cycles: 24,
    minutes: 1440,
    ...ofTwelve,
    evaluate: 400,
    cycle: { ...mostlyPractice, evaluate: 150, patience: 5, generate: { share: 0.1, tasks: 128, attempts: 4 } },
  },
};

/** For models behind servers, which play thousands of turns an hour. */
export const servedPreset: GivenSettings = {
  cycles: 2,
  minutes: 480,
  evaluate: 100,
  baselines: 50,
  cycle: { ...mostlyPractice, evaluate: 40 },
};

/** From random weights, retains the supervised steps between updates. */
export function presetOf(name: PresetName, fromScratch: boolean): GivenSettings {
  const preset = presets[name];
  return fromScratch ? { ...preset, ppo: { ...preset.ppo, replay: {} } } : preset;
}

export const rlPresetNames = ['quick'] as const;

export const rlPresets: Readonly<Record<(typeof rlPresetNames)[number], GivenSettings>> = {
  /** A widget unseen by the base policy. */
  quick: { from: basePolicyName, families: ['search'], minutes: 8.5, evaluate: 100 },
};
