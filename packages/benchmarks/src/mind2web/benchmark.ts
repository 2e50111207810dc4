import { join, resolve } from 'node:path';
import { GyreError, type Size, type Split, type Task } from '@gyre/protocol';
import { Sandbox } from '@gyre/sandbox';
import type { AnyFamily, AnyInstance, TaskFamily } from '@gyre/tasks';
import type { Benchmark } from '../benchmark.js';
import { commitOf } from '../bridge/clone.js';
import { OfficialCode } from '../bridge/officialCode.js';
import { OnlineEnvironment, type OnlineEnvironmentOptions } from './environment.js';
import { levels, type OnlineTask, readTaskList } from './task.js';
import { type JudgeModel, WebJudge } from './webJudge.js';

const mind2webName = 'online-mind2web';

/** Counts the official list. */
const officialTasks = 300;

/** Online-Mind2Web sets neither. */
const stepBudget = 30;
const defaultScreen = { width: 1280, height: 720 };

const waitMs = 60_000;

export interface Mind2webOptions {
  readonly code?: Pick<OfficialCode, 'name' | 'program' | 'python'>;
  /** The official task list. */
  readonly tasks: string;
  /** A clone of Online-Mind2Web. */
  readonly clone: string;
  readonly judge: JudgeModel;
  /** Folder for trajectories and judgements. Default: none. */
  readonly results?: string | undefined;
  /** The most judgements at a time. Default: 1. */
  readonly parallel?: number | undefined;
}

export const mind2webCode = () =>
  new OfficialCode({
    name: mind2webName,
    requirements: new URL('./requirements.txt', import.meta.url),
    program: new URL('./bridge.py', import.meta.url),
  });

/**
 * Opens Online-Mind2Web: its task list on live web sites, in browsers of gyre, judged by the WebJudge of a clone of its
 * repository.
 *
 * @throws GyreError `missing` before `gyre bench prepare online-mind2web`, `bad_input` for another task list or clone
 */
export async function openMind2web({
  code = mind2webCode(),
  tasks: file,
  clone,
  judge,
  results,
  parallel = 1,
}: Mind2webOptions): Promise<Benchmark> {
  const { tasks, hash } = await readTaskList(file);
  const judgements = results === undefined ? undefined : join(resolve(results), 'judgements');
  const webJudge = await WebJudge.open({ code, clone, judge, judgements, parallel });
  const sandbox = await Sandbox.start();
  const close = async () => {
    await webJudge.close();
    await sandbox.close();
  };
  try {
    const place = `${judge.model} at ${judge.url}`;
    const terms = {
      lease: (website: string, { screen }: Task) => leaseBrowser(sandbox, website, screen),
      judge: (trajectories: string, task: string) => webJudge.judge(trajectories, task),
      named: { judge: 'WebJudge', model: judge.model, url: judge.url },
      trajectories: results === undefined ? undefined : join(resolve(results), 'trajectories'),
    };
    const groups = [...levels, undefined].map((level) => tasks.filter((task) => task.level === level));
    const families = groups.filter((group) => group.length > 0).map((group) => familyOf(group, terms));
    const versions = Object.entries(webJudge.versions).map((entry) => entry.join(' '));
    const commit = await commitOf(clone, join('src', 'run.py'));
    return {
      name: mind2webName,
      revision: [`WebJudge of ${commit} by ${place}`, ...versions, `tasks sha256:${hash}`].join(', '),
      notes: () => ['online-mind2web: judged by WebJudge alone: no leaderboard number, which people judge'],
      suite: Object.fromEntries(families.map((family) => [family.name, family])),
      total: officialTasks,
      leftOut: [],
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The sites load from anywhere. */
function leaseBrowser(sandbox: Sandbox, website: string, size: Size) {
  const { hostname, port, protocol } = new URL(website);
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  const here = isHere ? [`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`] : [];
  return sandbox.lease({ kind: 'browser', clock: 'free', size, waitMs, network: { allow: ['*', ...here] } });
}

interface OnlineInstance extends AnyInstance {
  readonly official: OnlineTask;
}

/** A task's seed is its place among those of its level. */
function familyOf(tasks: readonly OnlineTask[], terms: Omit<OnlineEnvironmentOptions, 'task' | 'official'>): AnyFamily {
  const { level } = tasks[0]!;
  const name = `mind2web.${level ?? 'tasks'}`;
  const family: TaskFamily<OnlineInstance> = {
    name,
    description: `Online-Mind2Web's ${level === undefined ? '' : `${level} `}tasks.`,
    heldOut: true,
    unscripted: true,
    seeds: tasks.map((_, seed) => seed),
    create(_split: Split, seed: number, screen: Size = defaultScreen): OnlineInstance {
      const official = tasks[seed];
      if (!official) {
        throw new GyreError('bad_input', `${name} has no task ${seed}`, {
          field: 'seed',
          fix: `use 0 to ${tasks.length - 1}`,
        });
      }
      const task: Task = {
        ...{ id: `${name}/test/${seed}`, family: name, split: 'test', seed, instruction: official.confirmed_task },
        ...{ surfaces: ['screen'], screen, stepBudget },
      };
      return { task, official };
    },
    open: ({ task, official }) => new OnlineEnvironment({ task, official, ...terms }),
  };
  return family;
}
