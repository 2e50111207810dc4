import type { GivenUp } from '@gyre/agent';
import { Lake } from '@gyre/lake';
import type { Episode } from '@gyre/protocol';
import type { JudgeOptions } from '@gyre/tasks';
import { join } from 'node:path';
import { type Attempt, type BestOf, bestOf } from '../metrics/bestOf.js';
import { type AttemptJudge, confidenceJudge, modelJudge } from './attemptJudge.js';
import {
  type SkippedFamilies,
  type Player,
  type RolloutPlan,
  type RolloutProgress,
  attemptSeed,
  isComplete,
  playRollouts,
} from './rollouts.js';

export interface ScalingPlan extends RolloutPlan {
  /** Maximum turns; undefined: each task's budget. */
  readonly budgets: readonly (number | undefined)[];
  /** Attempts to choose from, ascending. */
  readonly bestOf: readonly number[];
  /** Default: the policy's confidence. */
  readonly judge: JudgeOptions | undefined;
}

export interface ScalingResult extends BestOf {
  family: string;
  split: string;
  policy: string;
  /** Absent for the task's own budget. */
  budget?: number;
  judge: string;
  infraErrors: number;
}

export interface Scaling {
  results: ScalingResult[];
  leftOut: SkippedFamilies[];
  unjudged: number;
  complete: boolean;
  failure?: unknown;
}

const judgedAtOnce = 8;

/**
 * Measures success by step budget and attempts. Each budget is played separately: policy and task may know it, so a
 * shortened episode is no substitute.
 */
export async function playScaling(
  plan: ScalingPlan,
  player: Player,
  {
    signal,
    progress,
    onLeftOut,
  }: {
    signal: AbortSignal;
    progress: RolloutProgress;
    onLeftOut?: (leftOut: readonly SkippedFamilies[]) => void;
  },
): Promise<Scaling> {
  const attempts = Math.max(...plan.bestOf);
  const scaling: Scaling = { results: [], leftOut: [], unjudged: 0, complete: true };
  for (const [index, budget] of plan.budgets.entries()) {
    if (signal.aborted) break;
    const episodes: Episode[] = [];
    const rollouts = { ...plan, attempts, budget };
    const part = (done: number, note?: string) => progress.update((index + done) / plan.budgets.length, note);
    const played = await playRollouts(rollouts, player, {
      signal,
      progress: { update: (done, note) => part(done, budget === undefined ? note : `${budget} turns  ${note}`) },
      onEpisode: (episode) => episodes.push(episode),
      ...(index === 0 && { onLeftOut }),
    });
    scaling.leftOut = played.leftOut;
    scaling.complete &&= isComplete(played, rollouts);
    const { worths, judge } = await judged(attempts > 1 ? episodes : [], plan);
    scaling.unjudged += [...worths.values()].filter((worth) => worth === undefined).length;
    for (const { family, split, policy, infraErrors } of played.results) {
      const ofFamily = ({ task }: Pick<Episode, 'task'>) => task.family === family;
      const tasks = byTask([...episodes.filter(ofFamily), ...played.givenUp.filter(ofFamily)], plan.seed, attempts).map(
        (each) => each.map((played) => ('turns' in played ? attemptOf(played, worths.get(played)) : lost)),
      );
      for (const n of plan.bestOf) {
        const common = { family, split, policy, ...(budget !== undefined && { budget }), judge, infraErrors };
        scaling.results.push({ ...common, ...bestOf(tasks, n) });
      }
    }
    if (played.failure !== undefined) return { ...scaling, complete: false, failure: played.failure };
  }
  return scaling;
}

function attemptOf({ turns, verdict }: Episode, worth: number | undefined): Attempt {
  return { success: verdict?.success ?? false, turns: turns.length, worth };
}

/** An abandoned attempt, which no judge chooses. */
const lost: Attempt = { success: false, turns: 0, worth: -Infinity };

/** Orders attempts by seed, up to the first missing one. */
function byTask(played: readonly (Episode | GivenUp)[], seed: number, attempts: number): (Episode | GivenUp)[][] {
  const tasks = new Map<string, (Episode | GivenUp)[]>();
  for (const one of played) tasks.set(one.task.id, [...(tasks.get(one.task.id) ?? []), one]);
  return [...tasks.values()].map((episodesOfTask) => {
    const inOrder: (Episode | GivenUp)[] = [];
    for (let attempt = 0; attempt < attempts; attempt++) {
      const played = episodesOfTask.find((episode) => episode.seed === attemptSeed(episode.task, seed, attempt));
      if (!played) break;
      inOrder.push(played);
    }
    return inOrder;
  });
}

async function judged(
  episodes: readonly Episode[],
  { judge: options, directory }: ScalingPlan,
): Promise<{ worths: Map<Episode, number | undefined>; judge: string }> {
  const lake =
    options && directory !== undefined && episodes.length > 0 ? await Lake.open(join(directory, 'lake')) : undefined;
  try {
    const judge: AttemptJudge = options && lake ? modelJudge(options, lake) : confidenceJudge;
    const worths = new Map<Episode, number | undefined>();
    const waiting = episodes.values();
    const work = async (): Promise<void> => {
      for (const episode of waiting) worths.set(episode, await judge.worth(episode));
    };
    await Promise.all(Array.from({ length: judgedAtOnce }, work));
    return { worths, judge: options?.model ?? judge.name };
  } finally {
    await lake?.close();
  }
}
