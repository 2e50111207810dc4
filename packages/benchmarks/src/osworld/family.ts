import { GyreError, type Size, type Split, type Task } from '@gyre/protocol';
import type { AnyFamily, AnyInstance, TaskFamily } from '@gyre/tasks';
import type { LeftOutTasks } from '../benchmark.js';
import { OsworldEnvironment, type OsworldEnvironmentOptions } from './environment.js';
import type { OfficialTask } from './task.js';

export interface DomainOptions {
  /** For messages. */
  readonly benchmark: string;
  /** Families are named `PREFIX.DOMAIN`. */
  readonly prefix: string;
  readonly screen: Size;
  readonly stepBudget: number;
  /** Returns why a task cannot be judged; undefined if it can. */
  readonly reasonOf: (task: OfficialTask) => string | undefined;
  readonly terms: Pick<OsworldEnvironmentOptions, 'seats' | 'sandbox' | 'results' | 'counted'>;
}

/** Returns a family per domain that has playable tasks, and the tasks that are left out. */
export function familiesOf(official: readonly OfficialTask[], options: DomainOptions) {
  const domains = [...new Set(official.map(({ domain }) => domain))];
  const families = domains
    .map((domain) =>
      familyOf(
        domain,
        official.filter((task) => task.domain === domain),
        options,
      ),
    )
    .filter(({ seeds }) => seeds!.length > 0);
  const reasons = new Map<string, string[]>();
  for (const task of official) {
    const reason = options.reasonOf(task);
    if (reason !== undefined) reasons.set(reason, [...(reasons.get(reason) ?? []), `${task.domain}/${task.task.id}`]);
  }
  const leftOut: LeftOutTasks[] = [...reasons].map(([reason, tasks]) => ({ tasks, reason }));
  return { suite: Object.fromEntries(families.map((family) => [family.name, family])), leftOut };
}

interface OsworldInstance extends AnyInstance {
  readonly official: OfficialTask;
}

/** A task's seed is its place in the domain, whether the tasks before it can be played or not. */
function familyOf(domain: string, tasks: readonly OfficialTask[], options: DomainOptions): AnyFamily {
  const { benchmark, prefix, screen, stepBudget, reasonOf, terms } = options;
  const name = `${prefix}.${domain}`;
  const family: TaskFamily<OsworldInstance> = {
    name,
    description: `${benchmark}'s tasks of ${domain}.`,
    heldOut: true,
    unscripted: true,
    seeds: tasks.flatMap((task, seed) => (reasonOf(task) === undefined ? [seed] : [])),
    create(_split: Split, seed: number): OsworldInstance {
      const official = tasks[seed];
      if (!official) {
        throw new GyreError('bad_input', `${benchmark}'s ${domain} has no task ${seed}`, {
          field: 'seed',
          fix: `use 0 to ${tasks.length - 1}`,
        });
      }
      const { instruction } = official.task;
      const task: Task = {
        ...{ id: `${name}/test/${seed}`, family: name, split: 'test', seed, instruction },
        ...{ surfaces: ['screen'], screen, stepBudget },
      };
      return { task, official };
    },
    open: ({ task, official }) => new OsworldEnvironment({ task, official, ...terms }),
  };
  return family;
}
