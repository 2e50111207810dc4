import type { GivenSettings } from './settings.js';

export const presetNames = ['quick', 'standard', 'long'] as const;
export type PresetName = (typeof presetNames)[number];

const twelve = [
  ...['click', 'form', 'vault', 'maze', 'menu', 'tabs'],
  ...['list', 'dialog', 'textSelect', 'shortcut', 'tree', 'hover'],
];

/** Settings of runs of several cycles. What they do not say is as by default. */
export const presets: Readonly<Record<PresetName, GivenSettings>> = {
  /** Two cycles of the families of the default run, in as long. */
  quick: {
    cycles: 2,
    minutes: 13.5,
    baselines: 100,
    cycle: { evaluate: 60, ct: { every: 2 } },
  },
  /** Six cycles of twelve families in four hours. */
  standard: {
    cycles: 6,
    minutes: 240,
    families: twelve,
    evaluate: 250,
    cycle: { evaluate: 100 },
  },
  /** Until it gains nothing any more, at most for a day. */
  long: {
    cycles: 24,
    minutes: 1440,
    families: twelve,
    evaluate: 400,
    cycle: { evaluate: 150, patience: 5, generate: { tasks: 128, attempts: 4 } },
  },
};
