import { type Job, randomPolicy, runEpisodes } from '@gyre/agent';
import { GyreError, type Size } from '@gyre/protocol';
import { BrowserPool } from '@gyre/sandbox';
import { openTask, type TaskFamily, type TaskInstance } from '@gyre/tasks';

/** Over all sessions. */
export interface FamilyRate {
  family: string;
  size: string;
  stepsPerSecond: number;
  /** Started ones: set-up counts. */
  episodes: number;
}

export interface SuiteRates {
  sessions: number;
  families: FamilyRate[];
  stepsPerSecond: number;
}

export interface SuiteOptions {
  readonly families: readonly TaskFamily[];
  /** Default: the family's. */
  readonly size: Size;
  readonly sessions: number;
  readonly browsers: number;
  /** For all families together. */
  readonly seconds: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  /** `share` is 0..1. */
  readonly onFamily: (family: string, share: number) => void;
}

const tasks = 16;

/**
 * Measures random episodes, including set-up. A step is an action, its game time, the next frame and its reward. Throws
 * `missing` without a browser.
 */
export async function measureSuite(options: SuiteOptions): Promise<SuiteRates> {
  const { families, sessions, browsers, seconds, signal } = options;
  const pool = await BrowserPool.launch({ browsers, sessionsPerBrowser: Math.ceil(sessions / browsers) });
  const rates: FamilyRate[] = [];
  let [steps, ms] = [0, 0];
  try {
    for (const [index, family] of families.entries()) {
      if (signal.aborted) break;
      options.onFamily(family.name, index / families.length);
      const instances = Array.from({ length: tasks }, (_, seed) => ofSize(family, seed, options.size));
      const played = await playFor((seconds * 1_000) / families.length, pool, instances, options);
      const { width, height } = instances[0]!.task.screen;
      const stepsPerSecond = (played.steps * 1_000) / played.ms;
      rates.push({ family: family.name, size: `${width}x${height}`, stepsPerSecond, episodes: played.episodes });
      steps += played.steps;
      ms += played.ms;
    }
  } finally {
    await pool.close();
  }
  return { sessions, families: rates, stepsPerSecond: ms === 0 ? 0 : (steps * 1_000) / ms };
}

async function playFor(
  ms: number,
  pool: BrowserPool,
  instances: readonly TaskInstance[],
  { sessions, seed, signal }: SuiteOptions,
): Promise<{ steps: number; episodes: number; ms: number }> {
  const played = { steps: 0, episodes: 0 };
  const start = performance.now();
  // Node may collect an AbortSignal.timeout that only AbortSignal.any refers to.
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), ms);
  const running = runEpisodes({
    pool,
    policy: randomPolicy({ functions: ['click', 'type', 'hotkey'] }),
    screenshots: 1,
    jobs: endless(instances, seed),
    concurrency: sessions,
    signal: AbortSignal.any([signal, over.signal]),
    // Includes episodes cut at the end.
    onEpisode: ({ turns }) => {
      played.steps += turns.length;
      played.episodes++;
    },
  });
  try {
    for await (const _ of running);
  } finally {
    clearTimeout(timer);
  }
  return { ...played, ms: performance.now() - start };
}

function* endless(instances: readonly TaskInstance[], seed: number): Generator<Job> {
  for (let number = 0; ; number++) {
    const instance = instances[number % instances.length]!;
    yield {
      task: instance.task,
      open: (machines) => openTask(instance, machines),
      purpose: 'bench',
      seed: (number + seed * 1_000_003) % 2 ** 32,
    };
  }
}

function ofSize(family: TaskFamily, seed: number, size: Size): TaskInstance {
  try {
    return family.create('train', seed, size);
  } catch (error) {
    if (!(error instanceof GyreError) || error.code !== 'bad_input') throw error;
    return family.create('train', seed);
  }
}
