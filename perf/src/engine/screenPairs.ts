import { type Context, oraclePolicy, pixels, runEpisode } from '@gyre/agent';
import { GyreError } from '@gyre/protocol';
import { BrowserPool } from '@gyre/sandbox';
import { type AnyFamily, familyOf, openTask } from '@gyre/tasks';

/** The state of one decision. Its screen carries a simulated reading. */
export type DecisionState = Omit<Context, 'random' | 'signal'>;

/** The first screen of a task, and the screen after the oracle's first turn. */
export interface ScreenPair {
  readonly family: string;
  readonly first: DecisionState;
  readonly following: DecisionState;
  /** Share of the pixels that differ between the two. */
  readonly changed: number;
}

/** Seeds tried per family: some tasks take one turn. */
const maxAttempts = 10;

/**
 * Plays the first turns of tasks of the train split in one browser session, one task per family.
 *
 * @param seed of the tasks
 * @throws GyreError 'missing' without a browser
 */
export async function collectScreenPairs(families: readonly string[], seed: number): Promise<ScreenPair[]> {
  const pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
  try {
    const pairs: ScreenPair[] = [];
    for (const name of families) pairs.push(await screenPair(pool, familyOf(name), seed));
    return pairs;
  } finally {
    await pool.close();
  }
}

async function screenPair(pool: BrowserPool, family: AnyFamily, seed: number): Promise<ScreenPair> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const [first, following] = await firstStates(pool, family, seed + attempt);
    if (!first || !following) continue;
    const changed = await changedShare(first, following);
    if (changed > 0) return { family: family.name, first, following, changed };
  }
  throw new GyreError('bug', `no task of ${family.name} shows another screen after the oracle's first turn`, {
    fix: 'use another family',
  });
}

async function firstStates(pool: BrowserPool, family: AnyFamily, seed: number): Promise<DecisionState[]> {
  const environment = openTask(family.create('train', seed), pool, family, { reading: 'simulated' });
  const states: DecisionState[] = [];
  const enough = new AbortController();
  try {
    await runEpisode({
      environment,
      policy: {
        ...oraclePolicy,
        async solve(solution, { task, screenshots, start, turns, episodeId }) {
          states.push({ task, screenshots, start, turns: [...turns], episodeId });
          if (states.length === 2) enough.abort();
          return solution.oracle();
        },
      },
      purpose: 'bench',
      seed,
      screenshots: 1,
      signal: enough.signal,
    });
    return states;
  } finally {
    await environment.close();
  }
}

async function changedShare(before: DecisionState, after: DecisionState): Promise<number> {
  const [old, current] = [await pixels(before.screenshots[0]!), await pixels(after.screenshots[0]!)];
  let changed = 0;
  for (let i = 0; i < current.length; i += 3) {
    if (old[i] !== current[i] || old[i + 1] !== current[i + 1] || old[i + 2] !== current[i + 2]) changed++;
  }
  return (3 * changed) / current.length;
}
