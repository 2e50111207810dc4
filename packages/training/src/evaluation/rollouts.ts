import { availableParallelism } from 'node:os';
import {
  type EpisodeCounts,
  type GivenUp,
  type Job,
  type Oracle,
  type Policy,
  type SearchService,
  TaskSessions,
  runEpisodes,
} from '@gyre/agent';
import { Lake } from '@gyre/lake';
import { type Episode, GyreError, type Size, type Split, type Task } from '@gyre/protocol';
import { type AnyFamily, openTask } from '@gyre/tasks';
import { join } from 'node:path';
import { type Result, resultOf } from '../metrics/evaluate.js';
import { gameScoreOf } from './gameScore.js';

/** A policy that plays. */
export interface Player {
  readonly policy: Policy | Oracle;
  /** Minimum number of recent screenshots in a prompt. */
  readonly screenshots: number;
  /** Ignores screenshots. */
  readonly blind?: boolean;
}

/** Receives the fraction 0..1 that is done, and a few words. */
export interface RolloutProgress {
  update(fraction: number, note?: string): void;
}

/** More sessions on a few cores only evict each other's caches: 16 on two cores took a tenth longer than 8. */
export const usualSessions = Math.min(16, 4 * availableParallelism());

type SearchOf = (task: Task) => SearchService | undefined;

/** Episodes of the tasks `from` to `from + episodes` of a split, for each family. */
export interface RolloutPlan {
  readonly families: readonly AnyFamily[];
  readonly split: Split;
  readonly from: number;
  /** Screen in px, if not the family's usual one. */
  readonly size?: Size | undefined;
  /** Per family. */
  readonly episodes: number;
  /** Per task, with different randomness of the policy. Default 1. */
  readonly attempts?: number;
  /** Maximum turns of an episode, if not the task's own budget. */
  readonly budget?: number | undefined;
  /** Parallel episodes. */
  readonly sessions: number;
  readonly browsers: number;
  /** Parent of the lake; undefined: nothing is stored. */
  readonly directory: string | undefined;
  readonly purpose: string;
  /** Seed of the policy's randomness. */
  readonly seed: number;
  /** Returns the search service of a task, if it has one. */
  readonly searchOf?: SearchOf;
}

export interface RolloutResult extends Result {
  split: Split;
  policy: string;
  /** Mean of the game's own score; absent if the tasks are no games. */
  gameScore?: number;
}

/** Families that a plan cannot play. */
export interface LeftOut {
  families: string[];
  reason: string;
}

export interface Rollouts {
  results: RolloutResult[];
  counts: EpisodeCounts;
  /** Attempts that were given up. They count as failures in `results`. */
  givenUp: GivenUp[];
  leftOut: LeftOut[];
  /** The error that ended it early; everything else describes the episodes before it. */
  failure?: unknown;
}

/**
 * Plays the episodes of a plan, all families together so that no session idles at the end of one, and stores them in the lake. An aborted
 * signal or an error ends it early, with the results so far.
 *
 * @throws GyreError `missing`, or `bad_input` for the oracle, if no family can be played; errors of opening the lake.
 */
export async function playRollouts(
  plan: RolloutPlan,
  { policy, screenshots, blind = false }: Player,
  options: {
    signal: AbortSignal;
    progress: RolloutProgress;
    /** Receives every episode with a verdict, in the order of their ends. */
    onEpisode?: (episode: Episode) => void;
    /** Receives the families that cannot be played, before any episode. */
    onLeftOut?: (leftOut: readonly LeftOut[]) => void;
  },
): Promise<Rollouts> {
  const { played, leftOut } = playable(plan.families, 'solve' in policy);
  if (played.length === 0) throw nothingToPlay(plan.families, leftOut);
  options.onLeftOut?.(leftOut);
  const lake = plan.directory === undefined ? undefined : await Lake.open(join(plan.directory, 'lake'));
  const pool = new TaskSessions({
    browsers: plan.browsers,
    sessionsPerBrowser: Math.ceil(plan.sessions / plan.browsers),
    signal: options.signal,
  });
  const total = played.length * plan.episodes * (plan.attempts ?? 1);
  const episodes: Episode[] = [];
  const failures = new Map<string, number>();
  let successes = 0;
  try {
    const running = runEpisodes({
      pool,
      lake,
      policy,
      screenshots,
      pictures: !blind,
      jobs: jobs(played, plan),
      concurrency: plan.sessions,
      signal: options.signal,
      onFailure: (_, { task }) => failures.set(task.family, (failures.get(task.family) ?? 0) + 1),
    });
    let failed: { failure: unknown } | undefined;
    try {
      for await (const episode of running) {
        episodes.push(episode);
        options.onEpisode?.(episode);
        if (episode.verdict?.success) successes++;
        const done = episodes.length;
        options.progress.update(done / total, `${episode.task.family}  ${successes} of ${done} solved`);
      }
    } catch (failure) {
      failed = { failure };
    }
    const attempts = [...episodes, ...running.givenUp];
    const begun = played.filter(({ name }) => attempts.some(({ task }) => task.family === name));
    const results = begun.map(({ name }) => ({
      ...resultOf(name, attempts, failures.get(name)),
      split: plan.split,
      policy: policy.name,
      ...gameScoreOf(name, episodes),
    }));
    return { results, counts: { ...running.counts }, givenUp: [...running.givenUp], leftOut, ...failed };
  } finally {
    await Promise.allSettled([pool.close(), lake?.close()]);
  }
}

/** Returns whether every attempt at the playable families has a result. Attempts that were given up have none. */
export function isComplete({ results, leftOut }: Rollouts, { families, episodes, attempts = 1 }: RolloutPlan): boolean {
  const missing = leftOut.reduce((sum, left) => sum + left.families.length, 0);
  return (
    results.length + missing === families.length &&
    results.every(({ n, givenUp }) => n === episodes * attempts && givenUp === 0)
  );
}

/** Splits families into playable ones and those to leave out. */
function playable(families: readonly AnyFamily[], byOracle: boolean): { played: AnyFamily[]; leftOut: LeftOut[] } {
  const reasons = new Map<string, string[]>();
  const played = families.filter((family) => {
    const reason = reasonAgainst(family, byOracle);
    if (reason === undefined) return true;
    reasons.set(reason, [...(reasons.get(reason) ?? []), family.name]);
    return false;
  });
  return { played, leftOut: [...reasons].map(([reason, names]) => ({ families: names, reason })) };
}

function nothingToPlay(families: readonly AnyFamily[], leftOut: readonly LeftOut[]): GyreError {
  const lacks = families.some((family) => (family.missing?.() ?? []).length > 0);
  const reasons = leftOut.map(({ families, reason }) => `${families.join(', ')}: ${reason}`);
  return new GyreError(lacks ? 'missing' : 'bad_input', `nothing can run: ${reasons.join('; ')}`, {
    field: '--family',
    fix: 'name others, or install what they need: `gyre doctor` says how',
  });
}

/** Returns the reason why a family cannot be played here; undefined if it can. */
export function reasonAgainst(family: AnyFamily, byOracle: boolean): string | undefined {
  if (byOracle && family.unscripted) return 'no scripted solution for the oracle to play';
  const missing = family.missing?.() ?? [];
  return missing.length === 0 ? undefined : `this machine has no ${missing.join(', ')}`;
}

/** Yields the jobs of a plan by family. Those on machines, which mostly wait, are spread evenly over those on pages, which do not. */
function* jobs(families: readonly AnyFamily[], plan: RolloutPlan): Generator<Job> {
  const [machines, pages] = [
    families.filter(({ kind }) => kind !== undefined),
    families.filter(({ kind }) => kind === undefined),
  ];
  const [onMachines, onPages] = [jobsOf(machines, plan), jobsOf(pages, plan)];
  // All families have equally many jobs, so both end together.
  const machinesIn = (count: number) => Math.floor((count * machines.length) / families.length);
  for (let count = 0; ; count++) {
    const job = (machinesIn(count + 1) > machinesIn(count) ? onMachines : onPages).next();
    if (job.done) return;
    yield job.value;
  }
}

function* jobsOf(families: readonly AnyFamily[], plan: RolloutPlan): Generator<Job> {
  for (const family of families) {
    for (let seed = plan.from; seed < plan.from + plan.episodes; seed++) {
      const instance = family.create(plan.split, seed, plan.size);
      const task = plan.budget === undefined ? instance.task : { ...instance.task, stepBudget: plan.budget };
      for (let attempt = 0; attempt < (plan.attempts ?? 1); attempt++) {
        yield {
          task,
          open: (machines) => openTask({ ...instance, task }, machines, family),
          search: plan.searchOf?.(task),
          purpose: plan.purpose,
          seed: attemptSeed(task, plan.seed, attempt),
        };
      }
    }
  }
}

/**
 * Returns the seed of the policy's randomness in an attempt. Runs are one prime apart and attempts another, so that neither share
 * randomness.
 */
export function attemptSeed({ seed }: { readonly seed: number }, runSeed: number, attempt: number): number {
  return (seed + runSeed * 1_000_003 + attempt * 15_485_863) % 2 ** 32;
}
