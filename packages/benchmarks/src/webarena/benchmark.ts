import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { GyreError, type Size, type Split, type Task } from '@gyre/protocol';
import { Sandbox } from '@gyre/sandbox';
import type { AnyFamily, AnyInstance, TaskFamily } from '@gyre/tasks';
import { z } from 'zod';
import type { Benchmark } from '../benchmark.js';
import { Bridge } from '../bridge/bridge.js';
import { OfficialCode } from '../bridge/officialCode.js';
import { Pool } from '../bridge/pool.js';
import { type VerifiedTask, WebarenaEnvironment, type WebarenaEnvironmentOptions } from './environment.js';

const webarenaName = 'webarena-verified';

/** WebArena's own. */
const stepBudget = 30;
const screen = { width: 1280, height: 720 };

const helloMs = 180_000;
const waitMs = 60_000;

const Hello = z.object({
  versions: z.record(z.string(), z.string()),
  tasks: z.array(
    z.object({
      id: z.int().nonnegative(),
      sites: z.array(z.string()).min(1),
      intent: z.string(),
      urls: z.array(z.string()),
      /** Sites that the configuration lacks. */
      missing: z.array(z.string()),
      login: z.array(z.object({ site: z.string(), credentials: z.record(z.string(), z.string()) })),
    }),
  ),
  hosts: z.array(z.url()),
  /** JSON schema of an answer. */
  schema: z.string(),
});
type OfficialTask = z.infer<typeof Hello>['tasks'][number];

export interface WebarenaOptions {
  readonly code?: OfficialCode;
  /** WebArena-Verified's configuration: the sites' addresses. */
  readonly config: string;
  /** Folder for answers, recordings and judgements. Default: none. */
  readonly results?: string | undefined;
  /** The most judgements at a time. Default: 1. */
  readonly parallel?: number | undefined;
}

export const webarenaCode = () =>
  new OfficialCode({
    name: webarenaName,
    requirements: new URL('./requirements.txt', import.meta.url),
    program: new URL('./bridge.py', import.meta.url),
  });

/**
 * Opens WebArena-Verified on the sites of a configuration, in browsers of gyre whose network is recorded. Its own code
 * judges recordings and answers. Changes of the sites stay: they are reset by whoever runs them.
 *
 * @throws GyreError `missing` before `gyre bench prepare webarena-verified`, `bad_input` for another configuration
 */
export async function openWebarena({
  code = webarenaCode(),
  config,
  results,
  parallel = 1,
}: WebarenaOptions): Promise<Benchmark> {
  const { python } = code;
  const folder = results === undefined ? await mkdtemp(join(tmpdir(), 'gyre-webarena-')) : resolve(results);
  const sandbox = await Sandbox.start();
  let hello: z.infer<typeof Hello> | undefined;
  const bridges = new Pool(parallel, async () => {
    const bridge = new Bridge({ name: webarenaName, program: python, args: [code.program] });
    hello = await bridge.call('hello', { config: resolve(config) }, Hello, { timeoutMs: helloMs });
    return bridge;
  });
  const close = async () => {
    await bridges.close();
    await sandbox.close();
    if (results === undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    await bridges.release(await bridges.acquire());
    const { versions, tasks, hosts, schema } = hello!;
    const allow = hosts.map(hostOf);
    const lease = ({ screen: size }: Task) =>
      sandbox.lease({ kind: 'browser', clock: 'free', size, waitMs, network: { allow } });
    const terms = { lease, bridges, results: folder };
    const sites = [...new Set(tasks.map((task) => task.sites.join('_')))].sort();
    const families = sites.map((site) => {
      const ofSite = tasks.filter((task) => task.sites.join('_') === site);
      return familyOf(site, ofSite, schema, terms);
    });
    const playable = families.filter(({ seeds }) => seeds!.length > 0);
    const leftOut = tasks.filter(({ missing }) => missing.length > 0);
    return {
      name: webarenaName,
      revision: Object.entries(versions)
        .map((entry) => entry.join(' '))
        .join(', '),
      suite: Object.fromEntries(playable.map((family) => [family.name, family])),
      total: tasks.length,
      leftOut:
        leftOut.length === 0
          ? []
          : [{ tasks: leftOut.map(({ id }) => `${id}`), reason: 'needs a site that the configuration lacks' }],
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns host and port of a site, which may be on this machine. */
function hostOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

interface WebarenaInstance extends AnyInstance {
  readonly official: VerifiedTask;
}

/** A task's seed is its place among those of its sites, whether the ones before it can be played or not. */
function familyOf(
  sites: string,
  tasks: readonly OfficialTask[],
  schema: string,
  terms: Omit<WebarenaEnvironmentOptions, 'task' | 'official'>,
): AnyFamily {
  const name = `webarena.${sites}`;
  const family: TaskFamily<WebarenaInstance> = {
    name,
    description: `WebArena-Verified's tasks of ${sites}.`,
    heldOut: true,
    unscripted: true,
    seeds: tasks.flatMap(({ missing }, seed) => (missing.length === 0 ? [seed] : [])),
    create(_split: Split, seed: number, size: Size = screen): WebarenaInstance {
      const official = tasks[seed];
      if (!official) {
        throw new GyreError('bad_input', `${name} has no task ${seed}`, {
          field: 'seed',
          fix: `use 0 to ${tasks.length - 1}`,
        });
      }
      const task: Task = {
        ...{ id: `${name}/test/${seed}`, family: name, split: 'test', seed, surfaces: ['screen'] },
        ...{ instruction: instructionOf(official, schema), screen: size, stepBudget },
      };
      return { task, official };
    },
    open: ({ task, official }) => new WebarenaEnvironment({ task, official, ...terms }),
  };
  return family;
}

function instructionOf({ intent, login }: OfficialTask, schema: string): string {
  const accounts = login.map(({ site, credentials }) => `To log in at ${site}, use ${JSON.stringify(credentials)}.`);
  return [intent, ...accounts, `Finish with an answer in JSON of this schema: ${schema}`].join('\n\n');
}
