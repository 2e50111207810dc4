import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { GyreError, type Size, type Split, type Task } from '@gyre/protocol';
import { BrowserPool } from '@gyre/sandbox';
import type { AnyFamily, AnyInstance, TaskFamily } from '@gyre/tasks';
import { z } from 'zod';
import type { Benchmark } from '../benchmark.js';
import { Bridge } from '../bridge/bridge.js';
import { OfficialCode } from '../bridge/officialCode.js';
import { Pool } from '../bridge/pool.js';
import { commitOf } from '../bridge/clone.js';
import { MobileGymEnvironment, type MobileGymEnvironmentOptions, type MobileGymTask } from './environment.js';
import { Site } from './site.js';

const mobileGymName = 'mobilegym';

/** MobileGym's own, in CSS px. */
const screen: Size = { width: 360, height: 800 };

const helloMs = 120_000;

const Hello = z.object({
  tasks: z
    .array(
      z.object({ id: z.string().regex(/^\w+\.\w+$/), split: z.enum(['train', 'test']), budget: z.int().positive() }),
    )
    .min(1),
  leftOut: z.array(z.object({ reason: z.string(), tasks: z.array(z.string()) })),
  total: z.int().positive(),
});
type Template = z.infer<typeof Hello>['tasks'][number];

export interface MobileGymOptions {
  readonly code?: OfficialCode;
  /** A clone of MobileGym in which its apps are built. */
  readonly directory: string;
  /** The most pages at a time. Default: 1. */
  readonly parallel?: number | undefined;
  readonly onLog?: ((text: string) => void) | undefined;
}

export const mobileGymCode = () =>
  new OfficialCode({
    name: mobileGymName,
    requirements: new URL('./requirements.txt', import.meta.url),
    program: new URL('./bridge.py', import.meta.url),
  });

/**
 * Opens MobileGym (Wu et al. 2026): its apps on pages of gyre with a stepped clock, its tasks set up and judged by its own
 * code. Tasks whose data the clone lacks are left out, by reason.
 *
 * @throws GyreError `missing` before `gyre bench prepare mobilegym`, `bad_input` for a folder without MobileGym or its
 * built apps
 */
export async function openMobileGym(options: MobileGymOptions): Promise<Benchmark> {
  const { code = mobileGymCode(), parallel = 1, onLog } = options;
  const clone = checkedClone(options.directory);
  const start = () =>
    new Bridge({
      ...{ name: mobileGymName, program: code.python, args: [code.program], env: { GYRE_MOBILEGYM: clone } },
      ...(onLog && { onLog }),
    });
  const bridges = new Pool(parallel, () => Promise.resolve(start()));
  const site = await Site.open(join(clone, 'dist'), { '/cdn/': join(clone, 'mobilegym-data') });
  let browsers: BrowserPool | undefined;
  const close = async () => {
    await bridges.close();
    await browsers?.close();
    await site.close();
  };
  try {
    const bridge = await bridges.acquire();
    const { tasks, leftOut, total } = await bridge.call('hello', {}, Hello, { timeoutMs: helloMs });
    await bridges.release(bridge);
    browsers = await BrowserPool.launch({
      network: { proxy: site.proxy, loopback: true },
      sessionsPerBrowser: parallel,
    });
    const terms = { bridges, browsers, site };
    const suites = [...new Set(tasks.map(({ id }) => suiteOf(id)))];
    const families = suites.map((suite) => {
      const templates = tasks.filter(({ id }) => suiteOf(id) === suite);
      return familyOf(suite, templates, terms);
    });
    return {
      name: mobileGymName,
      revision: `MobileGym ${await commitOf(clone, 'bench_env')}`,
      suite: Object.fromEntries(families.map((family) => [family.name, family])),
      ...{ total, leftOut, close },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const suiteOf = (id: string) => id.split('.')[0]!;

function checkedClone(directory: string): string {
  const clone = resolve(directory);
  const refused = (message: string, fix: string) => new GyreError('bad_input', message, { field: '--mobilegym', fix });
  if (!existsSync(join(clone, 'bench_env', 'task')) || !existsSync(join(clone, 'vite.config.ts')))
    throw refused(`${directory} does not contain MobileGym`, 'use a clone of https://github.com/Purewhiter/mobilegym');
  if (!existsSync(join(clone, 'dist', 'index.html')))
    throw refused(`the apps in ${directory} are not built`, 'run npm install and npx vite build in it');
  return clone;
}

interface MobileGymInstance extends AnyInstance {
  readonly official: MobileGymTask;
}

/** Other splits draw other parameters of training templates. */
const otherDraws: Readonly<Record<Split, number>> = { train: 0, dev: 2 ** 20, test: 2 ** 21 };

/**
 * Returns the tasks of one of MobileGym's suites. Test tasks are its test templates, if it has any, and other tasks its training templates. A
 * seed is a template's place, plus the number of templates for each further draw of its parameters.
 */
export function familyOf(
  suite: string,
  templates: readonly Template[],
  terms: Pick<MobileGymEnvironmentOptions, 'bridges' | 'browsers' | 'site'>,
): AnyFamily {
  const name = `${mobileGymName}.${suite}`;
  const tested = templates.filter((template) => template.split === 'test');
  const trained = templates.filter((template) => template.split === 'train');
  const family: TaskFamily<MobileGymInstance> = {
    name,
    description: `MobileGym's tasks of ${suite}.`,
    smallest: screen,
    unscripted: true,
    ...(trained.length === 0 && { heldOut: true }),
    seeds: tested.map((_, seed) => seed),
    create(split: Split, seed: number): MobileGymInstance {
      const drawn = split === 'test' && tested.length > 0 ? tested : trained;
      const template = drawn[seed % drawn.length];
      if (!template) {
        throw new GyreError('bad_input', `MobileGym's ${suite} has no tasks of the ${split} split`, {
          field: 'split',
          fix: 'use another split or suite',
        });
      }
      const task: Task = {
        ...{ id: `${name}/${split}/${seed}`, family: name, split, seed },
        instruction: 'the set-up draws what to do',
        surfaces: ['screen'],
        ...{ screen, stepBudget: template.budget },
      };
      const draw = Math.floor(seed / drawn.length) + (drawn === trained ? otherDraws[split] : 0);
      return { task, official: { id: template.id, seed: draw }, instructs: true };
    },
    open: ({ task, official }) => new MobileGymEnvironment({ task, official, ...terms }),
  };
  return family;
}
