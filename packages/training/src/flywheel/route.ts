import { type PoolStage, type SampleOrigin, isOfTrain } from '@gyre/lake';
import type { Episode } from '@gyre/protocol';
import { suites } from '@gyre/tasks';

/** Where an episode goes and why, or why it goes nowhere. */
export type Route = { readonly stage: PoolStage; readonly why: string } | { readonly refused: string };

/** What the episode itself does not say. */
export interface Circumstances {
  /** Version of the weights that practise now. Absent: none do, and nothing is on policy. */
  readonly policyVersion?: number;
  /** Another attempt at the same task succeeded in fewer turns, or as many. */
  readonly surpassed?: boolean;
}

/**
 * What may be trained on, and by which stage: the one place that decides it. Every episode has exactly one route. With V(s) for whether
 * it succeeded (UI-TARS-2, arXiv 2509.02544, section 2.3): V(s) = 1 goes to SFT, V(s) = 0 to CT, which does not imitate it but learns
 * what its actions did; and what the very weights sampled that practise now goes to RL.
 */
export function route(episode: Episode, { policyVersion, surpassed = false }: Circumstances = {}): Route {
  const { task, end, turns, verdict } = episode;
  if (!isOfTrain(task)) return { refused: 'it is not of the train split, and measures' };
  if (isForMeasuring(task.family)) return { refused: `${task.family} is for measuring only` };
  if (end.state === 'infra_error') return { refused: 'the infrastructure ended it' };
  if (end.state === 'cut') return { refused: 'it was cut' };
  if (turns.length === 0) return { refused: 'nothing was done' };
  if (verdict?.source === 'agent') return { refused: 'its agent has judged itself' };
  if (verdict === undefined)
    return { stage: 'ct', why: 'nobody has judged it; what its actions did is true all the same' };
  if (policyVersion !== undefined && isOnPolicy(episode, policyVersion)) {
    return { stage: 'rl', why: 'the weights that practise have sampled it' };
  }
  if (!verdict.success) return { stage: 'ct', why: 'it failed; what its actions did is true all the same' };
  if (surpassed)
    return { stage: 'ct', why: 'another attempt needed fewer turns; what its actions did is true all the same' };
  return { stage: 'sft', why: 'it succeeded' };
}

/** How an episode came about. */
export function originOf({ origin, purpose }: Pick<Episode, 'origin' | 'purpose'>): SampleOrigin {
  if (origin) return 'imported';
  if (purpose === 'demonstration' || purpose === 'captured') return purpose;
  return purpose.startsWith('rejection') ? 'rejection' : 'rollout';
}

/** Every turn has its tokens and their log-probabilities, and these weights sampled them. */
function isOnPolicy({ turns }: Episode, policyVersion: number): boolean {
  return turns.every(
    ({ sample }) =>
      sample !== undefined &&
      sample.policyVersion === policyVersion &&
      sample.tokens.length > 0 &&
      sample.logprobs.length === sample.tokens.length,
  );
}

/** Families that are not known here, as of what was imported, are for whatever their split says. */
function isForMeasuring(family: string): boolean {
  return Object.values(suites()).some((suite) => Object.hasOwn(suite, family) && suite[family]?.heldOut === true);
}
