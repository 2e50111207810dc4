import type { Chart } from '../charts/chart.js';
import type { Action } from '@gyre/protocol';
import type { SankeyLink } from '../charts/sankey.js';

/** Success rate with 95 % interval, 0..1. */
export interface Interval {
  success: number;
  low: number;
  high: number;
}

export interface Family {
  family: string;
  description: string;
  /** Episodes of `start` and `trained`. */
  n: number;
  /** Episodes of `random` and `oracle`. */
  baselines: number;
  random: Interval;
  /** After SFT, before RL. */
  start: Interval;
  trained: Interval;
  oracle: Interval;
  /** Trained minus start on the same tasks, -1..1. */
  gain: { mean: number; low: number; high: number };
}

export interface Frame {
  png: Uint8Array;
  /** In px. */
  width: number;
  height: number;
  /** Absent on the last frame. */
  action?: Action;
  caption: string;
}

export interface Filmstrip {
  family: string;
  /** Identifies the task: others may have the same instruction. */
  task: string;
  policy: 'random' | 'start' | 'trained' | 'oracle';
  instruction: string;
  success: boolean;
  note?: string;
  frames: Frame[];
}

/** Cycle 0 is the state before the first. */
export interface CycleEntry {
  cycle: number;
  dev: (Interval & { family: string; n: number })[];
  /** Purpose of these episodes in the lake. */
  devPurpose: string;
  /** Over the previous cycle, by family. */
  gains: Record<string, Family['gain']>;
  /** Since the previous cycle and since cycle 0. */
  meanGain?: { last: Family['gain']; first: Family['gain'] };
  stages: { stage: string; minutes: number; turns: number }[];
  trainedOn: string;
  links: SankeyLink[];
  leftOut: Readonly<Record<string, number>>;
  pools: Readonly<Record<'ct' | 'sft' | 'rl', number>>;
  /** File with the destination of each episode. */
  routes: string;
}

export interface CyclesEntry {
  cycles: CycleEntry[];
  tested: number;
  stopped: string;
}

export interface Report {
  title: string;
  /** ISO 8601. */
  createdAt: string;
  seed: number;
  minutes: number;
  machine: string;
  settings: Record<string, unknown>;
  families: Family[];
  /** Mean over families. */
  gain: Family['gain'];
  cycles: CyclesEntry;
  curves: Chart[];
  filmstrips: Filmstrip[];
  notes: string[];
}

export interface CurvesReport {
  title: string;
  paragraphs: string[];
  /** The first row is the header. */
  table: string[][];
  /** Further tables. */
  sections?: { title: string; table: string[][] }[];
  curves: Chart[];
}
