import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { placeholderFrame } from '@gyre/agent';
import { GyreError, type Split, type Task } from '@gyre/protocol';
import { Sandbox } from '@gyre/sandbox';
import type { AnyFamily, AnyInstance, TaskFamily } from '@gyre/tasks';
import { z } from 'zod';
import type { Benchmark } from '../benchmark.js';
import { Bridge } from '../bridge/bridge.js';
import { playerFolder } from '../bridge/clone.js';
import { OfficialCode } from '../bridge/officialCode.js';
import { Pool } from '../bridge/pool.js';
import { SwebenchEnvironment, type SwebenchEnvironmentOptions } from './environment.js';
import { readInstances, type SwebenchInstance } from './instance.js';
import { workdir } from './repository.js';
import { SwebenchResults } from './results.js';

const name = 'swebench';

/** SWE-bench sets none. */
const stepBudget = 150;

/** Names the logs' folder and the report. */
const run = 'gyre';

const helloMs = 120_000;

const Hello = z.object({
  versions: z.record(z.string(), z.string()),
  patchFile: z.string().startsWith('/'),
  applyCommands: z.array(z.string()).min(1),
});

const Run = z.object({ report: z.record(z.string(), z.unknown()) });

export interface SwebenchOptions {
  readonly code?: OfficialCode;
  /** A data set of SWE-bench, as JSON lines or JSON. */
  readonly file: string;
  /** Folder of unpacked images, named by instance or by image with `_` for `/` and `:`. */
  readonly roots: string;
  /** Folder for predictions, logs and SWE-bench's report. Default: none. */
  readonly results?: string | undefined;
  /** Names the agent in the results. */
  readonly player?: string | undefined;
  /** The most gradings at a time. Default: 1. */
  readonly parallel?: number | undefined;
}

export const swebenchCode = () =>
  new OfficialCode({
    name,
    requirements: new URL('./requirements.txt', import.meta.url),
    program: new URL('./bridge.py', import.meta.url),
  });

/**
 * Opens SWE-bench in shell sessions, each in a copy of its instance's unpacked image. Predictions are tested in a fresh
 * session, and graded by SWE-bench.
 *
 * @throws GyreError `missing` before `gyre bench prepare swebench`, `bad_input` for a file that is no data set
 */
export async function openSwebench({
  code = swebenchCode(),
  file,
  roots,
  results: folder,
  player = 'gyre',
  parallel = 1,
}: SwebenchOptions): Promise<Benchmark> {
  const { python } = code;
  const { instances, hash } = await readInstances(file);
  // The official code reads its own logs.
  const place = folder === undefined ? await mkdtemp(join(tmpdir(), 'gyre-swebench-')) : resolve(folder);
  await mkdir(place, { recursive: true });
  const results = new SwebenchResults(place, run);
  const sandbox = await Sandbox.start();
  let official: z.infer<typeof Hello> | undefined;
  const bridges = new Pool(parallel, async () => {
    const bridge = new Bridge({ name, program: python, args: [code.program] });
    official = await bridge.call('hello', { results: place }, Hello, { timeoutMs: helloMs });
    return bridge;
  });
  const report = async () => {
    const bridge = await bridges.acquire();
    const terms = { predictions: results.predictions, instances, run };
    await bridge.call('report', terms, Run, { timeoutMs: helloMs });
    await bridges.release(bridge);
  };
  const close = async () => {
    try {
      if (folder !== undefined && results.predictions.length > 0) await report();
    } finally {
      await bridges.close();
      await sandbox.close();
      if (folder === undefined) await rm(place, { recursive: true, force: true });
    }
  };
  try {
    const bridge = await bridges.acquire();
    await bridges.release(bridge);
    const { versions, ...applying } = official!;
    const rootOf = (instance: SwebenchInstance) =>
      [instance.instance_id, playerFolder(instance.image), instance.image.replace(/[/:]/g, '_')]
        .map((each) => join(resolve(roots), each))
        .find((each) => existsSync(each));
    const terms = { sandbox, bridges, results, player, applying };
    const repositories = [...new Set(instances.map(({ repo }) => repo))].sort();
    const families = repositories.map((repo) => {
      const ofRepository = instances.filter((instance) => instance.repo === repo);
      return familyOf(repo, ofRepository, rootOf, terms);
    });
    const playable = families.filter(({ seeds }) => seeds!.length > 0);
    const leftOut = instances.filter((instance) => rootOf(instance) === undefined);
    const packages = Object.entries(versions).map((entry) => entry.join(' '));
    return {
      name,
      revision: [...packages, `instances ${hash}`].join(', '),
      suite: Object.fromEntries(playable.map((family) => [family.name, family])),
      total: instances.length,
      leftOut:
        leftOut.length === 0
          ? []
          : [{ tasks: leftOut.map(({ instance_id }) => instance_id), reason: 'has no root file system in --roots' }],
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface SwebenchTask extends AnyInstance {
  readonly official: SwebenchInstance;
}

/** A task's seed is its place among the repository's instances, whether the ones before it can be played or not. */
function familyOf(
  repo: string,
  instances: readonly SwebenchInstance[],
  rootOf: (instance: SwebenchInstance) => string | undefined,
  terms: Omit<SwebenchEnvironmentOptions, 'task' | 'official' | 'root'>,
): AnyFamily {
  const family: TaskFamily<SwebenchTask> = {
    name: `swebench.${repo.replace('/', '__')}`,
    description: `SWE-bench's instances of ${repo}.`,
    heldOut: true,
    unscripted: true,
    seeds: instances.flatMap((instance, seed) => (rootOf(instance) === undefined ? [] : [seed])),
    create(_split: Split, seed: number): SwebenchTask {
      const official = instances[seed];
      if (!official) {
        throw new GyreError('bad_input', `SWE-bench's ${repo} has no instance ${seed}`, {
          field: 'seed',
          fix: `use 0 to ${instances.length - 1}`,
        });
      }
      const task: Task = {
        ...{ id: `${family.name}/test/${seed}`, family: family.name, split: 'test', seed, surfaces: ['shell'] },
        ...{ instruction: instructionOf(official), screen: placeholderFrame.size, stepBudget },
      };
      return { task, official };
    },
    open: ({ task, official }) => new SwebenchEnvironment({ ...terms, task, official, root: rootOf(official)! }),
  };
  return family;
}

const instructionOf = ({ problem_statement: problem }: SwebenchInstance): string =>
  `Resolve this issue of the git repository in ${workdir} by changing its source. Tests of the fix exist and are not shown; ` +
  `do not change tests. Your changes need not be committed.\n\n${problem}`;
