import { join, resolve } from 'node:path';
import { GyreError, type Split, type Task } from '@gyre/protocol';
import { compatTerms, Sandbox } from '@gyre/sandbox';
import type { AnyFamily, AnyInstance, TaskFamily } from '@gyre/tasks';
import type { Benchmark, LeftOutTasks } from '../benchmark.js';
import { commitOf } from '../bridge/clone.js';
import { OfficialCode } from '../bridge/officialCode.js';
import { Pool } from '../bridge/pool.js';
import { OsworldEnvironment, type OsworldEnvironmentOptions } from './environment.js';
import { type Place, reasonToLeaveOut } from './needs.js';
import { type OsworldProvider, Seat } from './seat.js';
import { type OfficialTask, readTasks } from './task.js';

const osworldName = 'osworld';

/** As OSWorld's `run.py`; 50 and 100 are reported too. */
const stepBudget = 15;

export interface OsworldOptions {
  readonly code?: OfficialCode;
  /** A clone of OSWorld. */
  readonly directory: string;
  /** Folder for OSWorld's result files. Default: none. */
  readonly results?: string | undefined;
  /** Names the agent in the results. */
  readonly player?: string | undefined;
  /** The most desktops at a time. Default: 1. */
  readonly parallel?: number | undefined;
  /** Lets OSWorld download files that its cache lacks. Default: false. */
  readonly download?: boolean | undefined;
  /** Where the machines come from. Default: `gyre`, desktops of this machine. */
  readonly provider?: OsworldProvider | undefined;
  /** Image or machine of OSWorld's own provider. Default: the one that OSWorld downloads or allocates. */
  readonly vm?: string | undefined;
  /** Region of a cloud. */
  readonly region?: string | undefined;
  readonly isInstalled?: Place['isInstalled'];
}

export const osworldCode = () =>
  new OfficialCode({
    name: osworldName,
    requirements: new URL('./requirements.txt', import.meta.url),
    program: new URL('./bridge.py', import.meta.url),
  });

/**
 * Opens OSWorld on desktops of gyre, or on the machines of its own providers, set up and judged by the package desktop-env.
 * Tasks that such a machine cannot play are left out, by reason.
 *
 * @throws GyreError `missing` before `gyre bench prepare osworld`, `bad_input` for a folder without OSWorld's tasks
 */
export async function openOsworld({
  code = osworldCode(),
  directory,
  results,
  player = 'gyre',
  parallel = 1,
  download = false,
  provider = 'gyre',
  vm,
  region,
  isInstalled,
}: OsworldOptions): Promise<Benchmark> {
  const clone = resolve(directory);
  const cache = join(clone, 'cache');
  const official = await readTasks(clone);
  const sandbox = await Sandbox.start();
  const seats = new Pool(parallel, () => Seat.start({ sandbox, code, directory: clone, cache, provider, vm, region }));
  const close = async () => {
    await seats.close();
    await sandbox.close();
  };
  try {
    // Fails at once where the code or the desktop is missing.
    const seat = await seats.acquire();
    await seats.release(seat);
    const { evaluators } = seat;
    const place = { cache, download, evaluators, official: provider !== 'gyre', ...(isInstalled && { isInstalled }) };
    const folder = results === undefined ? undefined : { folder: results, player };
    const terms = { seats, sandbox, results: folder };
    const domains = [...new Set(official.map(({ domain }) => domain))];
    const families = domains.map((domain) => {
      const tasks = official.filter((each) => each.domain === domain);
      const isPlayable = ({ task }: OfficialTask) => reasonToLeaveOut(task, place) === undefined;
      return familyOf(domain, tasks, isPlayable, terms);
    });
    const playable = families.filter(({ seeds }) => seeds!.length > 0);
    const versions = Object.entries(seat.versions).map((entry) => entry.join(' '));
    return {
      name: osworldName,
      revision: [...versions, `tasks of ${await commitOf(clone, 'evaluation_examples')}`].join(', '),
      ...(provider === 'gyre' && { place: 'gyre/debian' }),
      suite: Object.fromEntries(playable.map((family) => [family.name, family])),
      total: official.length,
      leftOut: leftOutOf(official, place),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function leftOutOf(official: readonly OfficialTask[], place: Place): LeftOutTasks[] {
  const reasons = new Map<string, string[]>();
  for (const { domain, task } of official) {
    const reason = reasonToLeaveOut(task, place);
    if (reason !== undefined) reasons.set(reason, [...(reasons.get(reason) ?? []), `${domain}/${task.id}`]);
  }
  return [...reasons].map(([reason, tasks]) => ({ tasks, reason }));
}

interface OsworldInstance extends AnyInstance {
  readonly official: OfficialTask;
}

/** A task's seed is its place in the domain, whether the tasks before it can be played or not. */
function familyOf(
  domain: string,
  tasks: readonly OfficialTask[],
  isPlayable: (task: OfficialTask) => boolean,
  terms: Pick<OsworldEnvironmentOptions, 'seats' | 'sandbox' | 'results'>,
): AnyFamily {
  const name = `osworld.${domain}`;
  const family: TaskFamily<OsworldInstance> = {
    name,
    description: `OSWorld's tasks of ${domain}.`,
    heldOut: true,
    unscripted: true,
    seeds: tasks.flatMap((task, seed) => (isPlayable(task) ? [seed] : [])),
    create(_split: Split, seed: number): OsworldInstance {
      const official = tasks[seed];
      if (!official) {
        throw new GyreError('bad_input', `OSWorld's ${domain} has no task ${seed}`, {
          field: 'seed',
          fix: `use 0 to ${tasks.length - 1}`,
        });
      }
      const { instruction } = official.task;
      const task: Task = {
        ...{ id: `${name}/test/${seed}`, family: name, split: 'test', seed, instruction },
        ...{ surfaces: ['screen'], screen: compatTerms.osworld.size!, stepBudget },
      };
      return { task, official };
    },
    open: ({ task, official }) => new OsworldEnvironment({ task, official, ...terms }),
  };
  return family;
}
