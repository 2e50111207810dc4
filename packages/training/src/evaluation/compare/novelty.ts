import type { TrainedTasks } from './recordedAttempts.js';

/** How new a task is to a trained policy, from least to most. */
export const novelties = ['trained tasks', 'new instances', 'new templates', 'new families'] as const;
export type Novelty = (typeof novelties)[number];

/**
 * Classifies a task. A template is what gyre calls a family, such as `mail.star`; the templates of one app, such as
 * `mail.*`, form a family in the sense of the benchmarks. A template without a dot is a family of its own.
 */
export function noveltyOf(task: { readonly task: string; readonly family: string }, trained: TrainedTasks): Novelty {
  const tasks = trained.get(task.family);
  if (tasks) return tasks.has(task.task) ? 'trained tasks' : 'new instances';
  const groups = new Set([...trained.keys()].map(groupOf));
  return groups.has(groupOf(task.family)) ? 'new templates' : 'new families';
}

const groupOf = (family: string) => family.split('.')[0]!;
