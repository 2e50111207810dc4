import type { PoolStage } from '@gyre/lake';
import type { ColdStart } from '../sft/coldStart.js';
import type { RejectionSample } from '../algorithms/rft.js';
import type { Gain, Result } from './evaluate.js';
import type { Shown } from '../flywheel/heldOut.js';
import type { PpoIteration } from '../algorithms/iteration.js';
import type { Supervised } from '../sft/poolLearning.js';
import type { RoutedFlow } from '../flywheel/routing.js';
import type { Settings } from '../flywheel/settings.js';

export interface FamilyResult {
  family: string;
  /** Episodes of start and of trained; random and oracle may have had fewer. */
  n: number;
  random: Result;
  start: Result;
  trained: Result;
  oracle: Result;
  /** Of trained over start. */
  gain: Gain;
}

export interface FlywheelResult {
  settings: Settings;
  minutes: number;
  families: FamilyResult[];
  /** Of trained over start: the mean of the families. */
  gain: Gain;
  /** Where it learnt from demonstrations before it practised. */
  supervised?: ColdStart;
  ppo: PpoIteration[];
  /** Episodes of the lake that show what was learnt: the same held-out tasks before and after. */
  shown: Shown[];
  cycles: CyclesResult;
}

/** What a cycle did, and what came of it. Cycle 0 is what there was before the first. */
export interface CycleResult {
  cycle: number;
  stages: { stage: string; minutes: number; turns: number }[];
  ct?: Omit<Supervised, 'turns'>;
  sft?: Omit<Supervised, 'turns'>;
  rl?: { iterations: number; turns: number };
  generated?: Omit<RejectionSample, 'turns'>;
  /** How often each family was practised, 1 on average. */
  practice: Record<string, number>;
  flows: readonly RoutedFlow[];
  leftOut: Readonly<Record<string, number>>;
  /** Samples in each pool at its end. */
  pools: Readonly<Record<PoolStage, number>>;
  /** The file that names where each episode went, below the run's folder. */
  routes: string;
  /** On the dev split, by family, and the purpose that these episodes have in the lake. */
  dev: Result[];
  devPurpose: string;
  /** Of each family over the cycle before, on the same tasks; none of cycle 0. */
  gains: Record<string, Gain>;
  /** Of the mean of the families, over the cycle before and over the time before the first; none of cycle 0. */
  meanGain?: { last: Gain; first: Gain };
}

export interface CyclesResult {
  all: CycleResult[];
  /** The cycle whose weights were tested: the last, unless an earlier one did better on the dev split for certain. */
  tested: number;
  /** The stage that left them. */
  weights: string;
  /** Why it ended. */
  stopped: string;
}
