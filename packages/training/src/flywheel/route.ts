import { type PoolStage, type SampleOrigin, isTrainTask } from '@gyre/lake';
import type { Episode } from '@gyre/protocol';
import { suites } from '@gyre/tasks';

export type Route = { readonly stage: PoolStage; readonly why: string } | { readonly refused: string };

export interface RoutingContext {
  /** Version being trained. Absent: nothing is on-policy. */
  readonly policyVersion?: number;
  /** Another attempt succeeded in as many turns or fewer. */
  readonly surpassed?: boolean;
}

/**
 * Routes an episode to training stages: successes to SFT, failures to CT, which predicts their actions (UI-TARS-2,
 * arXiv 2509.02544, section 2.3), and on-policy episodes to RL.
 */
export function route(episode: Episode, { policyVersion, surpassed = false }: RoutingContext = {}): Route {
  const { task, end, turns, verdict } = episode;
  if (!isTrainTask(task)) return { refused: 'it is not of the train split, and measures' };
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

export function originOf({ origin, purpose }: Pick<Episode, 'origin' | 'purpose'>): SampleOrigin {
  if (origin) return 'imported';
  if (purpose === 'demonstration' || purpose === 'captured') return purpose;
  return purpose.startsWith('rejection') ? 'rejection' : 'rollout';
}

/** Requires that these weights sampled every turn, with log-probabilities. */
function isOnPolicy({ turns }: Episode, policyVersion: number): boolean {
  return turns.every(
    ({ sample }) =>
      sample?.policyVersion === policyVersion &&
      sample.tokens.length > 0 &&
      sample.logprobs.length === sample.tokens.length,
  );
}

function isForMeasuring(family: string): boolean {
  return Object.values(suites()).some((suite) => Object.hasOwn(suite, family) && suite[family]?.heldOut === true);
}
