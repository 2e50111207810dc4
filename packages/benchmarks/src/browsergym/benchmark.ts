import { availableParallelism } from 'node:os';
import { GyreError, type Split, type Task } from '@gyre/protocol';
import { findBrowser } from '@gyre/sandbox';
import type { AnyFamily, AnyInstance, TaskFamily } from '@gyre/tasks';
import { z } from 'zod';
import type { Benchmark } from '../benchmark.js';
import { Bridge } from '../bridge/bridge.js';
import { Pool } from '../bridge/pool.js';
import { OfficialCode } from '../bridge/officialCode.js';
import { BrowserGymEnvironment, type BrowserGymTask } from './environment.js';
import { writeSummary } from './results.js';

const browserGymName = 'browsergym-miniwob';

/** 332 x 214 px at a scale of 1.5. */
const screen = { width: 498, height: 321 };

/** The packages are large, and may not be in the disk's cache. */
const helloMs = 180_000;

const Hello = z.object({
  versions: z.record(z.string(), z.string()),
  tasks: z.array(z.object({ name: z.string(), seed: z.int().nonnegative(), budget: z.int().positive() })).min(1),
});
type OfficialTask = z.infer<typeof Hello>['tasks'][number];

export interface BrowserGymOptions {
  readonly code?: OfficialCode;
  /** Folder for BrowserGym's `summary_info.json` files. Default: none. */
  readonly results?: string | undefined;
  /** The most browsers at a time. Default: one per core. */
  readonly parallel?: number | undefined;
  readonly onLog?: ((text: string) => void) | undefined;
}

export const browserGymCode = () =>
  new OfficialCode({
    name: browserGymName,
    requirements: new URL('./requirements.txt', import.meta.url),
    program: new URL('./bridge.py', import.meta.url),
  });

/** Starts BrowserGym, with this machine's browser. Throws `missing` if it is not installed. */
export function browserGymBridge({ code = browserGymCode(), onLog }: BrowserGymOptions = {}): Bridge {
  return new Bridge({
    ...{ name: browserGymName, program: code.python, args: [code.program] },
    env: { GYRE_BROWSER: findBrowser().path },
    ...(onLog && { onLog }),
  });
}

/**
 * Opens MiniWoB++ as BrowserGym's benchmark `miniwob` has it: 125 of 130 pages, five seeds each, at most ten steps, and
 * success for any raw reward above 0. BrowserGym carries out the actions.
 *
 * @throws GyreError `missing` before `gyre bench prepare browsergym-miniwob`
 */
export async function openBrowserGym(options: BrowserGymOptions = {}): Promise<Benchmark> {
  const { results, parallel = availableParallelism() } = options;
  const bridges = new Pool(parallel, () => Promise.resolve(browserGymBridge(options)));
  try {
    const bridge = await bridges.acquire();
    const { versions, tasks } = await bridge.call('hello', {}, Hello, { timeoutMs: helloMs });
    await bridges.release(bridge);
    const names = [...new Set(tasks.map(({ name }) => name))];
    const families = names.map((page) => {
      const seeds = tasks.filter(({ name }) => name === page);
      return familyOf(page, seeds, bridges, results);
    });
    const packages = Object.entries(versions).map((entry) => entry.join(' '));
    return {
      name: browserGymName,
      revision: packages.join(', '),
      suite: Object.fromEntries(families.map((family) => [family.name, family])),
      total: tasks.length,
      leftOut: [],
      close: () => bridges.close(),
    };
  } catch (error) {
    await bridges.close();
    throw error;
  }
}

interface BrowserGymInstance extends AnyInstance {
  readonly official: BrowserGymTask;
}

function familyOf(
  name: string,
  tasks: readonly OfficialTask[],
  bridges: Pool<Bridge>,
  results: string | undefined,
): AnyFamily {
  const family: TaskFamily<BrowserGymInstance> = {
    name: `browsergym.${name}`,
    description: `BrowserGym's ${name}, at its ${tasks.length} seeds.`,
    heldOut: true,
    unscripted: true,
    seeds: tasks.map((_, seed) => seed),
    create(_split: Split, seed: number): BrowserGymInstance {
      const official = tasks[seed];
      if (!official) throw noTask(name, seed, tasks.length);
      const task: Task = {
        ...{ id: `browsergym.${name}/test/${seed}`, family: `browsergym.${name}`, split: 'test', seed },
        instruction: 'do what is written at the top of the page',
        surfaces: ['screen'],
        ...{ screen, stepBudget: official.budget },
      };
      return { task, official: { name, seed: official.seed }, instructs: true };
    },
    open: ({ task, official }) =>
      new BrowserGymEnvironment({
        ...{ task, official, bridges },
        ...(results !== undefined && { onEpisode: (episode) => writeSummary(results, episode) }),
      }),
  };
  return family;
}

const noTask = (name: string, seed: number, count: number) =>
  new GyreError('bad_input', `${name} has no task ${seed}`, { field: 'seed', fix: `use 0 to ${count - 1}` });
