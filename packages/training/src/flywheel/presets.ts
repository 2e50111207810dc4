import { basePolicyName } from '@gyre/engine';
import type { GivenSettings } from './settings.js';

export const presetNames = ['quick', 'standard', 'long'] as const;
export type PresetName = (typeof presetNames)[number];

const twelve = [
  ...['click', 'form', 'vault', 'maze', 'menu', 'tabs'],
  ...['list', 'dialog', 'textSelect', 'shortcut', 'tree', 'hover'],
];

/** Practice is what brings most in the same time: docs/experiments.md compares the parts of the flywheel. */
const mostlyPractice = {
  ct: { share: 0.05 },
  sft: { share: 0.1 },
  rl: { share: 0.75 },
  generate: { share: 0.1, tasks: 32, attempts: 2 },
};

/** No supervised steps between the updates: PPO gains as much alone, in two thirds of the time. */
const alone = { replay: { steps: 0 } };

/** An update of 512 decisions has some 40 of each, too few to tell their turns' means by. */
const ofTwelve = { families: twelve, ppo: { ...alone, decisions: 1536 } };

/** Settings of whole runs. What they do not say is as by default. */
export const presets: Readonly<Record<PresetName, GivenSettings>> = {
  /** Two cycles in under a quarter of an hour: few tasks are played to measure, and most of the time is practice. */
  quick: {
    cycles: 2,
    minutes: 13.5,
    evaluate: 200,
    baselines: 60,
    ppo: alone,
    cycle: { ...mostlyPractice, evaluate: 40 },
  },
  /** Five cycles of twelve families in two hours and a bit: as docs/experiments.md measured it, where the last two of the five added nothing that shows. */
  standard: {
    cycles: 5,
    minutes: 130,
    ...ofTwelve,
    evaluate: 150,
    baselines: 20,
    cycle: { ...mostlyPractice, evaluate: 60 },
  },
  /** Until it gains nothing any more, at most for a day. */
  long: {
    cycles: 24,
    minutes: 1440,
    ...ofTwelve,
    evaluate: 400,
    cycle: { ...mostlyPractice, evaluate: 150, patience: 5, generate: { share: 0.1, tasks: 128, attempts: 4 } },
  },
};

/** The settings of that name. Random weights keep the supervised steps between the updates, which see and learn from demonstrations. */
export function presetOf(name: PresetName, fromScratch: boolean): GivenSettings {
  const preset = presets[name];
  return fromScratch ? { ...preset, ppo: { ...preset.ppo, replay: {} } } : preset;
}

export const practicePresetNames = ['quick'] as const;

/** Settings of practice alone, measured before and after. */
export const practicePresets: Readonly<Record<(typeof practicePresetNames)[number], GivenSettings>> = {
  /** A game that the basePolicyName policy has never played, in under ten minutes. */
  quick: { from: basePolicyName, families: ['vault'], minutes: 8.5, evaluate: 150 },
};
