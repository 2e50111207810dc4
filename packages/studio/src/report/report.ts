import type { Chart } from '../charts/chart.js';
import type { Action } from '@gyre/protocol';
import type { SankeyLink } from '../charts/sankey.js';

/** Success rate with its 95 % interval, 0..1. */
export interface Interval {
  success: number;
  low: number;
  high: number;
}

/** Success of each policy on a family's held-out tasks, sampled. */
export interface Family {
  family: string;
  description: string;
  /** Episodes of `start` and `trained`. */
  n: number;
  /** Episodes of `random` and `oracle`. */
  baselines: number;
  random: Interval;
  /** After supervised fine-tuning, before reinforcement learning. */
  start: Interval;
  trained: Interval;
  oracle: Interval;
  /** Trained minus start on the same tasks, -1..1. */
  gain: { mean: number; low: number; high: number };
}

/** A screen and the action taken on it. */
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
  policy: 'random' | 'start' | 'trained' | 'oracle';
  instruction: string;
  success: boolean;
  note?: string;
  frames: Frame[];
}

/** A cycle of the flywheel; 0 is the state before the first. */
export interface CycleEntry {
  cycle: number;
  /** Success on the dev split, by family. */
  dev: (Interval & { family: string; n: number })[];
  /** Purpose of these episodes in the lake. */
  devPurpose: string;
  /** Over the previous cycle, by family. */
  gains: Record<string, Family['gain']>;
  /** Mean of the families, over the previous cycle and over cycle 0. */
  meanGain?: { last: Family['gain']; first: Family['gain'] };
  stages: { stage: string; minutes: number; turns: number }[];
  /** Data of each stage, in words. */
  learnt: string;
  links: SankeyLink[];
  /** Episodes that were left out, by reason. */
  leftOut: Readonly<Record<string, number>>;
  pools: Readonly<Record<'ct' | 'sft' | 'rl', number>>;
  /** File with the destination of each episode. */
  routes: string;
}

export interface CyclesEntry {
  all: CycleEntry[];
  /** The cycle whose weights were tested. */
  tested: number;
  /** Reason of the end. */
  stopped: string;
}

/** Contents of the report of a flywheel run. */
export interface Report {
  title: string;
  /** ISO 8601. */
  createdAt: string;
  seed: number;
  minutes: number;
  /** Processor, cores, memory. */
  machine: string;
  settings: Record<string, unknown>;
  families: Family[];
  /** Trained over start, mean of the families. */
  gain: Family['gain'];
  cycles: CyclesEntry;
  curves: Chart[];
  filmstrips: Filmstrip[];
  notes: string[];
}

/** Contents of the page of an experiment. */
export interface CurvesReport {
  title: string;
  paragraphs: string[];
  /** The first row is the header. */
  table: string[][];
  curves: Chart[];
}
