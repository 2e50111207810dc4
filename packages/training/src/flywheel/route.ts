import { type PoolStage, type SampleOrigin, isTrainTask } from '@gyre/lake';
import { type Episode, isAssisted, policySample } from '@gyre/protocol';
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
  const { task, end, turns, verdict, purpose } = episode;
  if (!isTrainTask(task)) return { refused: 'not in the train split' };
  if (isForMeasuring(task.family)) return { refused: `${task.family} is held out for evaluation` };
  if (purpose === 'annotation') return { refused: 'annotated; its reviewer decides' };
  if (end.state === 'infra_error') return { refused: 'ended by an infrastructure error' };
  if (end.state === 'cut') return { refused: 'cut before its end' };
  if (turns.length === 0) return { refused: 'no turns' };
  if (verdict?.source === 'agent') return { refused: 'judged by its own agent' };
  if (verdict === undefined) return { stage: 'ct', why: 'not judged; its transitions are still valid' };
  if (policyVersion !== undefined && !isAssisted(episode) && isOnPolicy(episode, policyVersion)) {
    return { stage: 'rl', why: 'sampled by the weights in training' };
  }
  if (!verdict.success) return { stage: 'ct', why: 'failed; its transitions are still valid' };
  if (surpassed) return { stage: 'ct', why: 'another attempt needed fewer turns; its transitions are still valid' };
  return { stage: 'sft', why: 'succeeded' };
}

export function originOf({ origin, purpose }: Pick<Episode, 'origin' | 'purpose'>): SampleOrigin {
  if (purpose === 'annotation') return 'annotated';
  if (origin) return 'imported';
  if (purpose === 'demonstration' || purpose === 'captured') return purpose;
  return purpose.startsWith('rejection') ? 'rejection' : 'rollout';
}

/** Requires that these weights sampled every turn, with log-probabilities. */
function isOnPolicy({ turns }: Episode, policyVersion: number): boolean {
  return turns.every((turn) => {
    const sample = policySample(turn);
    return (
      sample?.policyVersion === policyVersion &&
      sample.tokens.length > 0 &&
      sample.logprobs.length === sample.tokens.length
    );
  });
}

function isForMeasuring(family: string): boolean {
  return Object.values(suites()).some((suite) => Object.hasOwn(suite, family) && suite[family]?.heldOut === true);
}
