import type { GivenUp } from '@gyre/agent';
import { Lake } from '@gyre/lake';
import type { Episode } from '@gyre/protocol';
import type { JudgeOptions } from '@gyre/tasks';
import { type Attempt, type BestOf, bestOf } from '@gyre/training';
import { join } from 'node:path';
import { type AttemptJudge, confidenceJudge, modelJudge } from './attemptJudge.js';
import type { OpenPolicy } from '../policies/policies.js';
import type { Progress } from '../terminal/progress.js';
import { attemptSeed, isComplete, type LeftOut, playRollouts, type RolloutPlan } from './rollouts.js';

/** What is played: the plan at each step budget, with as many attempts a task as the most of which one is chosen. */
export interface ScalingPlan extends RolloutPlan {
  /** Most turns of an episode; undefined is what each task says. */
  readonly budgets: readonly (number | undefined)[];
  /** Of how many attempts one is chosen, rising. */
  readonly bestOf: readonly number[];
  /** The model that chooses; undefined is the policy's own confidence. */
  readonly judge: JudgeOptions | undefined;
}

/** What a policy achieves on a family with so many turns, where one of so many attempts is chosen. */
export interface ScalingResult extends BestOf {
  family: string;
  split: string;
  policy: string;
  /** Absent where it is what each task says. */
  budget?: number;
  judge: string;
  infraErrors: number;
}

export interface Scaling {
  results: ScalingResult[];
  leftOut: LeftOut[];
  /** Attempts of which the judge could say nothing. */
  unjudged: number;
  complete: boolean;
  /** The error that ended it early. */
  failure?: unknown;
}

/** How many attempts a model judges at once. */
const judgedAtOnce = 8;

/**
 * Success against the step budget and against attempts. Each budget is played for itself: an episode of a larger one tells what a smaller
 * one would have come to only where neither the policy nor the task knows it, and where what was done by then is judged then.
 */
export async function playScaling(
  plan: ScalingPlan,
  opened: OpenPolicy,
  {
    signal,
    progress,
    onLeftOut,
  }: {
    signal: AbortSignal;
    progress: Pick<Progress, 'update'>;
    onLeftOut?: (leftOut: readonly LeftOut[]) => void;
  },
): Promise<Scaling> {
  const attempts = Math.max(...plan.bestOf);
  const scaling: Scaling = { results: [], leftOut: [], unjudged: 0, complete: true };
  for (const [index, budget] of plan.budgets.entries()) {
    if (signal.aborted) break;
    const episodes: Episode[] = [];
    const rollouts = { ...plan, attempts, budget };
    const part = (done: number, note?: string) => progress.update((index + done) / plan.budgets.length, note);
    const played = await playRollouts(rollouts, opened, {
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
        const of = { family, split, policy, ...(budget !== undefined && { budget }), judge, infraErrors };
        scaling.results.push({ ...of, ...bestOf(tasks, n) });
      }
    }
    if (played.failure !== undefined) return { ...scaling, complete: false, failure: played.failure };
  }
  return scaling;
}

function attemptOf({ turns, verdict }: Episode, worth: number | undefined): Attempt {
  return { success: verdict?.success ?? false, turns: turns.length, worth };
}

/** An attempt that was given up: a failure that no judge chooses. */
const lost: Attempt = { success: false, turns: 0, worth: -Infinity };

/** Returns the attempts at each task in the order of their seeds, up to the first that was not played. */
function byTask(played: readonly (Episode | GivenUp)[], seed: number, attempts: number): (Episode | GivenUp)[][] {
  const tasks = new Map<string, (Episode | GivenUp)[]>();
  for (const one of played) tasks.set(one.task.id, [...(tasks.get(one.task.id) ?? []), one]);
  return [...tasks.values()].map((all) => {
    const inOrder: (Episode | GivenUp)[] = [];
    for (let attempt = 0; attempt < attempts; attempt++) {
      const played = all.find((episode) => episode.seed === attemptSeed(episode.task, seed, attempt));
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
