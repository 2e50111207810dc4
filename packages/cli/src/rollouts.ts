import { availableParallelism } from 'node:os';
import { type EpisodeCounts, type GivenUp, type Job, TaskSessions, runEpisodes } from '@gyre/agent';
import { Lake } from '@gyre/lake';
import { type Episode, GyreError, type Size, type Split } from '@gyre/protocol';
import { type AnyFamily, openTask } from '@gyre/tasks';
import { resultOf, type Result } from '@gyre/training';
import { join } from 'node:path';
import { gameScoreOf } from './gameScore.js';
import type { OpenPolicy } from './policies.js';
import type { Progress } from './progress.js';
import { searchBy } from './search.js';

/**
 * With more at once on a machine with few cores, screens only take the processors' caches from each other: 16 on two cores cost a tenth
 * more of their time than 8.
 */
export const usualSessions = Math.min(16, 4 * availableParallelism());

/** Many episodes to play: of each family the tasks `from` to `from + episodes` of a split. */
export interface RolloutPlan {
  readonly families: readonly AnyFamily[];
  readonly split: Split;
  readonly from: number;
  /** Of the screen in px, where it is not the family's own. */
  readonly size?: Size | undefined;
  /** Of each family. */
  readonly episodes: number;
  /** At each task, with other randomness of the policy. Default 1. */
  readonly attempts?: number;
  /** The most turns of an episode, where it is not what the task says. */
  readonly budget?: number | undefined;
  /** At once. */
  readonly sessions: number;
  readonly browsers: number;
  /** Where the lake is; undefined where nothing is to be kept. */
  readonly directory: string | undefined;
  readonly purpose: string;
  /** Of the policy's randomness. */
  readonly seed: number;
  /** As the flags of the same names. */
  readonly search?: string | undefined;
  readonly reader?: string | undefined;
  readonly model?: string | undefined;
}

export interface RolloutResult extends Result {
  split: Split;
  policy: string;
  /** Mean of the scores that the game itself counts, in its own points; absent where the tasks are no games. */
  gameScore?: number;
}

/** Families that a plan cannot play, and why. */
export interface LeftOut {
  families: string[];
  reason: string;
}

export interface Rollouts {
  results: RolloutResult[];
  counts: EpisodeCounts;
  /** Attempts that were given up, and why. They count as failures in `results`. */
  givenUp: GivenUp[];
  leftOut: LeftOut[];
  /** The error that ended it early. All else is of what was played by then. */
  failure?: unknown;
}

/**
 * Plays the episodes of a plan, of all families in one go so that no session waits for the last of a family, and keeps them in the
 * lake. An aborted signal and an error end it early: the results are of what was played by then. Throws `missing`, or `bad_input` for the
 * oracle, where none can be played, and what the lake throws when it is opened.
 */
export async function playRollouts(
  plan: RolloutPlan,
  { policy, screenshots, blind = false }: OpenPolicy,
  options: {
    signal: AbortSignal;
    progress: Pick<Progress, 'update'>;
    /** Told of every episode that has a verdict, in the order in which they end. */
    onEpisode?: (episode: Episode) => void;
    /** Told of what cannot be played, before anything is. */
    onLeftOut?: (leftOut: readonly LeftOut[]) => void;
  },
): Promise<Rollouts> {
  const { played, leftOut } = playable(plan.families, 'solve' in policy);
  if (played.length === 0) throw nothingToPlay(plan.families, leftOut);
  options.onLeftOut?.(leftOut);
  const searchOf = searchBy(plan);
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
      jobs: jobs(played, plan, searchOf),
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

/** Returns whether all was played that a plan is for, except what had to be left out; what was given up was not. */
export function isComplete({ results, leftOut }: Rollouts, { families, episodes, attempts = 1 }: RolloutPlan): boolean {
  const missing = leftOut.reduce((sum, left) => sum + left.families.length, 0);
  return (
    results.length + missing === families.length &&
    results.every(({ n, givenUp }) => n === episodes * attempts && givenUp === 0)
  );
}

/** What can be played, and what has to be left out. */
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

/** Why a family cannot be played here; undefined where it can. */
export function reasonAgainst(family: AnyFamily, byOracle: boolean): string | undefined {
  if (byOracle && family.unscripted) return 'no scripted solution for the oracle to play';
  const missing = family.missing?.() ?? [];
  return missing.length === 0 ? undefined : `this machine has no ${missing.join(', ')}`;
}

/** The jobs of a plan, family by family; those on machines, which wait much, spread evenly over those on pages, which do not. */
function* jobs(
  families: readonly AnyFamily[],
  plan: RolloutPlan,
  searchOf: ReturnType<typeof searchBy>,
): Generator<Job> {
  const [machines, pages] = [
    families.filter(({ kind }) => kind !== undefined),
    families.filter(({ kind }) => kind === undefined),
  ];
  const [onMachines, onPages] = [jobsOf(machines, plan, searchOf), jobsOf(pages, plan, searchOf)];
  // All families have as many jobs, so both end together.
  const machinesIn = (count: number) => Math.floor((count * machines.length) / families.length);
  for (let count = 0; ; count++) {
    const job = (machinesIn(count + 1) > machinesIn(count) ? onMachines : onPages).next();
    if (job.done) return;
    yield job.value;
  }
}

function* jobsOf(
  families: readonly AnyFamily[],
  plan: RolloutPlan,
  searchOf: ReturnType<typeof searchBy>,
): Generator<Job> {
  for (const family of families) {
    for (let seed = plan.from; seed < plan.from + plan.episodes; seed++) {
      const instance = family.create(plan.split, seed, plan.size);
      const task = plan.budget === undefined ? instance.task : { ...instance.task, stepBudget: plan.budget };
      for (let attempt = 0; attempt < (plan.attempts ?? 1); attempt++) {
        yield {
          task,
          open: (machines) => openTask({ ...instance, task }, machines, family),
          search: searchOf(task),
          purpose: plan.purpose,
          seed: attemptSeed(task, plan.seed, attempt),
        };
      }
    }
  }
}

/**
 * The seed of the policy's randomness in one of several attempts at a task. Runs are one prime apart and attempts another, so that
 * neither runs of neighbouring seeds nor attempts share randomness.
 */
export function attemptSeed({ seed }: { readonly seed: number }, runSeed: number, attempt: number): number {
  return (seed + runSeed * 1_000_003 + attempt * 15_485_863) % 2 ** 32;
}
