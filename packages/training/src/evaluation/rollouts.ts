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
import { type Endings, endingsOf } from './endings.js';
import { gameScoreOf } from './gameScore.js';

export interface Player {
  readonly policy: Policy | Oracle;
  /** Minimum of recent screenshots in a prompt. */
  readonly screenshots: number;
  readonly blind?: boolean;
}

export interface RolloutProgress {
  update(fraction: number, note?: string): void;
}

/** More sessions evict each other's caches. */
export const defaultSessions = Math.min(16, 4 * availableParallelism());

type SearchOf = (task: Task) => SearchService | undefined;

/** Tasks `from` to `from + episodes` of a split, for each family. */
export interface RolloutPlan {
  readonly families: readonly AnyFamily[];
  readonly split: Split;
  readonly from: number;
  /** In px. Default: the family's. */
  readonly size?: Size | undefined;
  /** Per family. */
  readonly episodes: number;
  /** Per task, with different sampling seeds. Default 1. */
  readonly attempts?: number;
  /** Maximum turns. Default: the task's. */
  readonly budget?: number | undefined;
  readonly sessions: number;
  readonly browsers: number;
  /** Parent of the lake; undefined stores nothing. */
  readonly directory: string | undefined;
  readonly purpose: string;
  readonly seed: number;
  readonly searchOf?: SearchOf;
}

export interface RolloutResult extends Result, Endings {
  split: Split;
  policy: string;
  /** Absent without games. */
  gameScore?: number;
}

export interface SkippedFamilies {
  families: string[];
  reason: string;
}

export interface Rollouts {
  results: RolloutResult[];
  counts: EpisodeCounts;
  /** Count as failures in `results`. */
  givenUp: GivenUp[];
  leftOut: SkippedFamilies[];
  /** Ended the run early; everything else describes the episodes before it. */
  failure?: unknown;
}

/**
 * Plays a plan and stores its episodes. Families run together, so that no session idles at the end of one. Aborts and
 * errors end it early, with the results so far.
 *
 * @throws GyreError `missing`, or `bad_input` for the oracle, if no family can be played
 */
export async function playRollouts(
  plan: RolloutPlan,
  { policy, screenshots, blind = false }: Player,
  options: {
    signal: AbortSignal;
    progress: RolloutProgress;
    /** Called in the order of their ends. */
    onEpisode?: (episode: Episode) => void;
    /** Called before any episode. */
    onLeftOut?: (leftOut: readonly SkippedFamilies[]) => void;
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
  const total = played.reduce((sum, family) => sum + plannedOf(family, plan), 0);
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
      ...endingsOf(episodes.filter(({ task }) => task.family === name)),
    }));
    return { results, counts: { ...running.counts }, givenUp: [...running.givenUp], leftOut, ...failed };
  } finally {
    await Promise.allSettled([pool.close(), lake?.close()]);
  }
}

/** Returns whether every attempt has a result; abandoned ones have none. */
export function isComplete({ results, leftOut }: Rollouts, plan: RolloutPlan): boolean {
  const planned = new Map(plan.families.map((family) => [family.name, plannedOf(family, plan)]));
  const missing = new Set(leftOut.flatMap(({ families }) => families));
  const expected = [...planned].filter(([name, count]) => count > 0 && !missing.has(name));
  return (
    results.length === expected.length &&
    results.every(({ family, n, givenUp }) => n === planned.get(family) && givenUp === 0)
  );
}

/** Has fewer than planned for a family with a fixed number of tasks. */
function seedsOf({ seeds }: AnyFamily, { from, episodes }: RolloutPlan): readonly number[] {
  if (seeds) return seeds.filter((seed) => seed >= from && seed < from + episodes);
  return Array.from({ length: episodes }, (_, index) => from + index);
}

const plannedOf = (family: AnyFamily, plan: RolloutPlan) => seedsOf(family, plan).length * (plan.attempts ?? 1);

function playable(
  families: readonly AnyFamily[],
  byOracle: boolean,
): { played: AnyFamily[]; leftOut: SkippedFamilies[] } {
  const reasons = new Map<string, string[]>();
  const played = families.filter((family) => {
    const reason = unplayableReason(family, byOracle);
    if (reason === undefined) return true;
    reasons.set(reason, [...(reasons.get(reason) ?? []), family.name]);
    return false;
  });
  return { played, leftOut: [...reasons].map(([reason, names]) => ({ families: names, reason })) };
}

function nothingToPlay(families: readonly AnyFamily[], leftOut: readonly SkippedFamilies[]): GyreError {
  const lacks = families.some((family) => (family.missing?.() ?? []).length > 0);
  const reasons = leftOut.map(({ families, reason }) => `${families.join(', ')}: ${reason}`);
  return new GyreError(lacks ? 'missing' : 'bad_input', `none of the families can run: ${reasons.join('; ')}`, {
    field: '--family',
    fix: 'choose other families, or run `gyre doctor` to see what to install',
  });
}

/** Returns undefined if the family can be played. */
export function unplayableReason(family: AnyFamily, byOracle: boolean): string | undefined {
  if (byOracle && family.unscripted) return 'no scripted solution for the oracle';
  const missing = family.missing?.() ?? [];
  return missing.length === 0 ? undefined : `this machine has no ${missing.join(', ')}`;
}

/** Yields jobs by family. Those on machines, which mostly wait, are spread evenly among those on pages. */
function* jobs(families: readonly AnyFamily[], plan: RolloutPlan): Generator<Job> {
  const [machines, pages] = [
    families.filter(({ kind }) => kind !== undefined),
    families.filter(({ kind }) => kind === undefined),
  ];
  const [onMachines, onPages] = [jobsOf(machines, plan), jobsOf(pages, plan)];
  const machinesIn = (count: number) => Math.floor((count * machines.length) / families.length);
  for (let count = 0; ; count++) {
    const due = machinesIn(count + 1) > machinesIn(count) ? [onMachines, onPages] : [onPages, onMachines];
    let job = due[0]!.next();
    // Families with a fixed number of tasks may end earlier.
    if (job.done) job = due[1]!.next();
    if (job.done) return;
    yield job.value;
  }
}

function* jobsOf(families: readonly AnyFamily[], plan: RolloutPlan): Generator<Job> {
  for (const family of families) {
    for (const seed of seedsOf(family, plan)) {
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

/** Separates runs and attempts by different primes, so that none share randomness. */
export function attemptSeed({ seed }: { readonly seed: number }, runSeed: number, attempt: number): number {
  return (seed + runSeed * 1_000_003 + attempt * 15_485_863) % 2 ** 32;
}
