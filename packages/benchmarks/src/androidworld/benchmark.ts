import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { GyreError, type Size, type Split, type Task } from '@gyre/protocol';
import { Sandbox } from '@gyre/sandbox';
import type { AnyFamily, AnyInstance, TaskFamily } from '@gyre/tasks';
import type { Benchmark, LeftOutTasks } from '../benchmark.js';
import { commitOf, playerFolder } from '../bridge/clone.js';
import { OfficialCode } from '../bridge/officialCode.js';
import { Pool } from '../bridge/pool.js';
import { AndroidWorldEnvironment, type AndroidWorldEnvironmentOptions } from './environment.js';
import { type AndroidWorldTask, PhoneSeat } from './seat.js';

const androidWorldName = 'androidworld';

/** AndroidWorld's phone: a Pixel 6 with Android 13. */
const officialPhone = { sdk: 33, screen: { width: 1_080, height: 2_400 } };

export interface AndroidWorldOptions {
  readonly code?: OfficialCode;
  /** A clone of AndroidWorld. */
  readonly directory: string;
  /** adb's serials. Each plays one task at a time. */
  readonly phones: readonly string[];
  /** Port of adb's server. Default: ANDROID_ADB_SERVER_PORT, or 5037. */
  readonly port?: number | undefined;
  /** Folder for the files of AndroidWorld's checkpointer. Default: none. */
  readonly results?: string | undefined;
  /** Names the agent in the results. */
  readonly player?: string | undefined;
  readonly onLog?: ((text: string) => void) | undefined;
}

export const androidWorldCode = () =>
  new OfficialCode({
    name: androidWorldName,
    requirements: new URL('./requirements.txt', import.meta.url),
    program: new URL('./bridge.py', import.meta.url),
  });

/**
 * Opens AndroidWorld on phones that adb's server knows: its 116 tasks, one instance each by its seed 30, set up and judged
 * by a clone of its repository. Tasks whose apps a phone lacks are left out.
 *
 * @throws GyreError `missing` before `gyre bench prepare androidworld`, `bad_input` for another folder or no phone, `infra`
 * for a phone that does not answer
 */
export async function openAndroidWorld({
  code = androidWorldCode(),
  directory,
  phones,
  port = Number(process.env.ANDROID_ADB_SERVER_PORT ?? 5_037),
  results,
  player = 'gyre',
  onLog,
}: AndroidWorldOptions): Promise<Benchmark> {
  const clone = resolve(directory);
  if (!existsSync(join(clone, 'android_world', 'suite_utils.py'))) {
    throw new GyreError('bad_input', `${directory} is no clone of AndroidWorld`, {
      field: '--androidworld',
      fix: 'name a clone of https://github.com/google-research/android_world',
    });
  }
  const serials = [...new Set(phones)];
  const seats = new Pool(serials.length, (place) =>
    PhoneSeat.start({ code, clone, serial: serials[place]!, port, onLog }),
  );
  const sandbox = await Sandbox.start();
  const close = async () => {
    await seats.close();
    await sandbox.close();
  };
  try {
    const seat = await seats.acquire();
    await seats.release(seat);
    const { tasks, phone, screen } = seat.hello;
    const folder = results === undefined ? undefined : { folder: join(resolve(results), playerFolder(player)), player };
    const terms = { seats, sandbox, port, results: folder };
    const difficulties = [...new Set(tasks.map(({ difficulty }) => difficulty))].sort();
    const families = difficulties
      .map((difficulty) => {
        const rated = tasks.filter((task) => task.difficulty === difficulty);
        return familyOf(difficulty, rated, screen, terms);
      })
      .filter(({ seeds }) => seeds!.length > 0);
    const isOfficial =
      phone.sdk === officialPhone.sdk &&
      screen.width === officialPhone.screen.width &&
      screen.height === officialPhone.screen.height;
    return {
      name: androidWorldName,
      revision: `AndroidWorld ${await commitOf(clone, 'android_world')}, seed 30`,
      ...(!isOfficial && { place: `${phone.model}, API ${phone.sdk}, ${screen.width} x ${screen.height}` }),
      suite: Object.fromEntries(families.map((family) => [family.name, family])),
      total: tasks.length,
      leftOut: leftOutOf(tasks),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function leftOutOf(tasks: readonly AndroidWorldTask[]): LeftOutTasks[] {
  const reasons = new Map<string, string[]>();
  for (const { name, missing } of tasks) {
    if (missing.length === 0) continue;
    const reason = `the phone lacks ${missing.join(', ')}`;
    reasons.set(reason, [...(reasons.get(reason) ?? []), name]);
  }
  return [...reasons].map(([reason, names]) => ({ tasks: names, reason }));
}

interface AndroidWorldInstance extends AnyInstance {
  readonly official: string;
}

/** A task's seed is its place in the difficulty, whether the tasks before it can be played or not. */
function familyOf(
  difficulty: string,
  tasks: readonly AndroidWorldTask[],
  screen: Size,
  terms: Omit<AndroidWorldEnvironmentOptions, 'task' | 'official'>,
): AnyFamily {
  const name = `${androidWorldName}.${difficulty}`;
  const family: TaskFamily<AndroidWorldInstance> = {
    name,
    description: `AndroidWorld's ${difficulty} tasks.`,
    heldOut: true,
    unscripted: true,
    seeds: tasks.flatMap(({ missing }, seed) => (missing.length === 0 ? [seed] : [])),
    create(_split: Split, seed: number): AndroidWorldInstance {
      const official = tasks[seed];
      if (!official) {
        throw new GyreError('bad_input', `AndroidWorld has no ${difficulty} task ${seed}`, {
          field: 'seed',
          fix: `use 0 to ${tasks.length - 1}`,
        });
      }
      const task: Task = {
        ...{ id: `${name}/test/${seed}`, family: name, split: 'test', seed, instruction: official.goal },
        ...{ surfaces: ['screen'], screen, stepBudget: official.budget },
      };
      return { task, official: official.name, instructs: true };
    },
    open: ({ task, official }) => new AndroidWorldEnvironment({ task, official, ...terms }),
  };
  return family;
}
