import type { PoolStage } from '@gyre/lake';
import type { ColdStart } from '../sft/coldStart.js';
import type { RejectionSample } from '../algorithms/rft.js';
import type { Gain, Result } from './evaluate.js';
import type { ShownEpisode } from '../flywheel/heldOut.js';
import type { PpoIteration } from '../algorithms/iteration.js';
import type { SupervisedResult } from '../sft/poolLearning.js';
import type { RoutedFlow } from '../flywheel/routing.js';
import type { Settings } from '../flywheel/settings.js';

export interface FamilyResult {
  family: string;
  /** For start and trained; random and oracle may have fewer. */
  n: number;
  random: Result;
  start: Result;
  trained: Result;
  oracle: Result;
  /** Trained over start. */
  gain: Gain;
}

export interface FlywheelResult {
  settings: Settings;
  minutes: number;
  families: FamilyResult[];
  /** Mean over families, trained over start. */
  gain: Gain;
  supervised?: ColdStart;
  ppo: PpoIteration[];
  // eslint-disable-next-line gyre/vague-name -- stored as JSON
  shown: ShownEpisode[];
  cycles: CyclesResult;
}

/** Cycle 0 precedes the first one. */
export interface CycleResult {
  cycle: number;
  stages: { stage: string; minutes: number; turns: number }[];
  ct?: Omit<SupervisedResult, 'turns'>;
  sft?: Omit<SupervisedResult, 'turns'>;
  rl?: { iterations: number; turns: number };
  generated?: Omit<RejectionSample, 'turns'>;
  /** Sampling weight by family, 1 on average. */
  practice: Record<string, number>;
  flows: readonly RoutedFlow[];
  leftOut: Readonly<Record<string, number>>;
  pools: Readonly<Record<PoolStage, number>>;
  /** Lists every episode's route; relative to the run's folder. */
  routes: string;
  /** By family. */
  dev: Result[];
  devPurpose: string;
  /** By family over the previous cycle; empty for cycle 0. */
  gains: Record<string, Gain>;
  /** Over the previous cycle and over cycle 0. */
  meanGain?: { last: Gain; first: Gain };
}

export interface CyclesResult {
  // eslint-disable-next-line gyre/vague-name -- stored as JSON
  all: CycleResult[];
  /** Latest cycle not significantly worse on dev than the best one. */
  tested: number;
  weights: string;
  stopped: string;
}
