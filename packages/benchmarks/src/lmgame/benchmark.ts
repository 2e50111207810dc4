import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { GyreError, type Split, type Task } from '@gyre/protocol';
import type { AnyFamily, AnyInstance, TaskFamily } from '@gyre/tasks';
import { z } from 'zod';
import type { Benchmark } from '../benchmark.js';
import { Bridge } from '../bridge/bridge.js';
import { commitOf, playerFolder } from '../bridge/clone.js';
import { OfficialCode } from '../bridge/officialCode.js';
import { Pool } from '../bridge/pool.js';
import { LmgameEnvironment, type LmgameEnvironmentOptions, type LmgameRun } from './environment.js';
import { lmgameInstructions, lmgameNames } from './inputs.js';

const name = 'lmgame';

/** Sokoban's largest screen; each reset names the game's own. */
const screen = { width: 288, height: 320 };

/** Compiled packages may not be in the disk's cache. */
const helloMs = 180_000;

const Hello = z.object({
  versions: z.record(z.string(), z.string()),
  games: z
    .array(
      z.object({
        name: z.enum(lmgameNames),
        seed: z.int().nonnegative(),
        steps: z.int().positive(),
        runs: z.int().positive(),
      }),
    )
    .min(1),
});
type OfficialGame = z.infer<typeof Hello>['games'][number];

export interface LmgameOptions {
  readonly code?: OfficialCode;
  /** A clone of GamingAgent. */
  readonly directory: string;
  /** Folder for log files in LMGame-Bench's layout. Default: none. */
  readonly results?: string | undefined;
  /** Names the agent in the results. */
  readonly player?: string | undefined;
  /** The most games at a time. Default: one per core. */
  readonly parallel?: number | undefined;
  /** Shows the games' text in addition to the picture. Default: false. */
  readonly text?: boolean | undefined;
  readonly onLog?: ((text: string) => void) | undefined;
}

export const lmgameCode = () =>
  new OfficialCode({
    name,
    requirements: new URL('./requirements.txt', import.meta.url),
    program: new URL('./bridge.py', import.meta.url),
  });

/** Starts LMGame-Bench's games. Throws `missing` if their packages are not installed, `bad_input` for another folder. */
function lmgameBridge({ code = lmgameCode(), directory, onLog }: LmgameOptions): Bridge {
  const clone = resolve(directory);
  if (!existsSync(join(clone, 'gamingagent', 'envs', 'gym_env_adapter.py'))) {
    throw new GyreError('bad_input', `${directory} is no clone of GamingAgent`, {
      field: '--lmgame',
      fix: 'name a clone of https://github.com/lmgame-org/GamingAgent',
    });
  }
  return new Bridge({ name, program: code.python, args: [code.program, clone], ...(onLog && { onLog }) });
}

/**
 * Opens the four games of LMGame-Bench that need no ROM, with its numbers of runs and steps and its seeds: run n of a
 * game has the first run's seed plus n - 1. Every run has a new environment.
 *
 * @throws GyreError `missing` before `gyre bench prepare lmgame`, `bad_input` for a folder without GamingAgent
 */
export async function openLmgame(options: LmgameOptions): Promise<Benchmark> {
  const { directory, results, player = 'gyre', parallel = availableParallelism(), text } = options;
  const bridges = new Pool(parallel, () => Promise.resolve().then(() => lmgameBridge(options)));
  try {
    const bridge = await bridges.acquire();
    const { versions, games } = await bridge.call('hello', {}, Hello, { timeoutMs: helloMs });
    await bridges.release(bridge);
    const folderOf = (game: string, run: number) =>
      results === undefined ? undefined : join(resolve(results), game, playerFolder(player), `run_${run}`);
    const families = games.map((game) => familyOf(game, { bridges, player, text }, folderOf));
    const packages = Object.entries(versions).map((entry) => entry.join(' '));
    return {
      name,
      revision: [`GamingAgent ${await commitOf(resolve(directory), 'lmgame-bench')}`, ...packages].join(', '),
      suite: Object.fromEntries(families.map((family) => [family.name, family])),
      total: games.reduce((sum, { runs }) => sum + runs, 0),
      leftOut: [],
      notes: () => ['lmgame: the game score is official; success is a game that was won'],
      close: () => bridges.close(),
    };
  } catch (error) {
    await bridges.close();
    throw error;
  }
}

interface LmgameInstance extends AnyInstance {
  readonly official: LmgameRun;
}

/** A task's seed is the number of the run, from 0. */
function familyOf(
  { name: game, seed: firstSeed, steps, runs }: OfficialGame,
  terms: Pick<LmgameEnvironmentOptions, 'bridges' | 'player' | 'text'>,
  folderOf: (game: string, run: number) => string | undefined,
): AnyFamily {
  const family: TaskFamily<LmgameInstance> = {
    name: `lmgame.${game}`,
    description: `LMGame-Bench's ${game}, ${runs} runs.`,
    heldOut: true,
    unscripted: true,
    seeds: Array.from({ length: runs }, (_, run) => run),
    create(_split: Split, seed: number): LmgameInstance {
      const task: Task = {
        ...{ id: `lmgame.${game}/test/${seed}`, family: `lmgame.${game}`, split: 'test', seed, surfaces: ['screen'] },
        ...{ instruction: lmgameInstructions[game], screen },
        // A swap may take two clicks.
        stepBudget: game === 'candy_crush' ? 2 * steps : steps,
      };
      return { task, official: { game, run: seed + 1, seed: firstSeed + seed, steps }, instructs: true };
    },
    open: ({ task, official }) =>
      new LmgameEnvironment({ ...terms, task, official, folder: folderOf(game, official.run) }),
  };
  return family;
}
