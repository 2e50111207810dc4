import type { Action } from '@gyre/protocol';
import type { SankeyLink } from './sankey.js';

/** A share of successes with its 95 % interval, all 0..1. */
export interface Interval {
  success: number;
  low: number;
  high: number;
}

/** How well each policy does on the held-out tasks of a family. Sampled. */
export interface Family {
  family: string;
  description: string;
  /** Episodes of start and of trained. */
  n: number;
  /** Episodes of random and of the oracle. */
  baselines: number;
  random: Interval;
  /** The policy before reinforcement learning, after supervised fine-tuning. */
  start: Interval;
  trained: Interval;
  oracle: Interval;
  /** Trained less start on the same tasks, -1..1, with its interval. */
  gain: { mean: number; low: number; high: number };
}

export interface Chart {
  title: string;
  /** What the axes show, with units. */
  x: string;
  y: string;
  /** x counts something. */
  whole?: boolean;
  series: {
    name: string;
    /** `[x, y]`, x rising. */
    points: [number, number][];
    /** `[x, low, high]`, x rising. */
    band?: [number, number, number][];
    /** What the picture is about: the others stand back. */
    main?: boolean;
  }[];
}

/** What the policy saw, and what it did about it. */
export interface Frame {
  png: Uint8Array;
  /** Size of the picture in px. */
  width: number;
  height: number;
  /** The action taken on this frame; none on the last. */
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

/** A cycle of the flywheel; 0 is before the first. */
export interface CycleEntry {
  cycle: number;
  /** Success on the dev split, by family. */
  dev: (Interval & { family: string; n: number })[];
  /** What these episodes are found by in the lake. */
  devPurpose: string;
  /** By family, over the cycle before. */
  gains: Record<string, Family['gain']>;
  /** Of the mean of the families, over the cycle before and over the time before the first. */
  meanGain?: { last: Family['gain']; first: Family['gain'] };
  stages: { stage: string; minutes: number; turns: number }[];
  /** What learnt from what, in words. */
  learnt: string;
  links: SankeyLink[];
  /** Why episodes were left out, with how many. */
  leftOut: Readonly<Record<string, number>>;
  pools: Readonly<Record<'ct' | 'sft' | 'rl', number>>;
  /** The file that says where each episode went. */
  routes: string;
}

export interface CyclesEntry {
  all: CycleEntry[];
  /** The cycle whose weights were tested. */
  tested: number;
  /** Why there are no more. */
  stopped: string;
}

/** What a flywheel run has to show. */
export interface Report {
  title: string;
  /** ISO 8601. */
  createdAt: string;
  seed: number;
  minutes: number;
  /** The machine in a few words: processor, cores, memory. */
  machine: string;
  settings: Record<string, unknown>;
  families: Family[];
  /** Of trained over start: the mean of the families. */
  gain: Family['gain'];
  cycles: CyclesEntry;
  curves: Chart[];
  filmstrips: Filmstrip[];
  notes: string[];
}

/** What an experiment has to show. */
export interface CurvesReport {
  title: string;
  /** What was done, and what came out of it. */
  paragraphs: string[];
  /** The first row is the header. */
  table: string[][];
  curves: Chart[];
}
