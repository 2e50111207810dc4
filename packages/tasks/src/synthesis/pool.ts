import { GyreError } from '@gyre/protocol';
import type { TaskFamily } from '../family/family.js';
import { SynthesisedTask } from './candidate.js';
import { appTask } from './place.js';

/** Parses a JSON Lines pool. Throws `bad_input` with the invalid line. */
export function readPool(text: string): SynthesisedTask[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const read = SynthesisedTask.safeParse(jsonOf(line));
    if (read.success) return [read.data];
    const [issue] = read.error.issues;
    const where = issue?.path.join('.') || 'it';
    throw new GyreError('bad_input', `line ${index + 1} is not a task: ${where} ${issue?.message ?? 'is invalid'}`, {
      field: 'tasks',
      fix: 'use a file that `gyre tasks synth` wrote',
    });
  });
}

export const printPool = (tasks: readonly SynthesisedTask[]): string =>
  tasks.map((task) => `${JSON.stringify(task)}\n`).join('');

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * Builds a suite with a family `synth.APP` per app. Seeds index a split's tasks, modulo their number. Omits page tasks,
 * since the web changes. Throws `bad_input` if none remain.
 */
export function poolSuite(tasks: readonly SynthesisedTask[]): Readonly<Record<string, TaskFamily>> {
  const byApp = new Map<string, SynthesisedTask[]>();
  for (const task of tasks) {
    if ('app' in task.place) byApp.set(task.place.app, [...(byApp.get(task.place.app) ?? []), task]);
  }
  if (byApp.size > 0) return Object.fromEntries([...byApp].map(([app, of]) => [`synth.${app}`, poolFamily(app, of)]));
  throw new GyreError('bad_input', "the pool has no task for one of gyre's apps", {
    field: 'tasks',
    fix: 'create some with `gyre tasks synth --app mail`; run tasks of web pages with `gyre run INSTRUCTION --url URL`',
  });
}

function poolFamily(app: string, tasks: readonly SynthesisedTask[]): TaskFamily {
  const [first] = tasks;
  const name = `synth.${app}`;
  return {
    name,
    description: `${tasks.length} synthesised tasks for the app ${app}.`,
    ...(first && { smallest: first.place.size }),
    // The oracle may miss a goal that is still reachable.
    ...(tasks.some(({ proof }) => proof.policy !== 'oracle' || proof.successes === 0) && { unscripted: true }),
    create(split, seed) {
      const owned = tasks.filter(({ place }) => 'app' in place && place.split === split);
      const task = owned[seed % owned.length];
      if (!task || !('app' in task.place)) {
        throw new GyreError('bad_input', `the pool has no task for ${name} in the split ${split}`, {
          field: 'split',
          fix: `use --split ${first && 'app' in first.place ? first.place.split : 'train'}`,
        });
      }
      const instance = appTask(task.place, task, task.start, seed);
      if (!('unfit' in instance)) return instance;
      throw new GyreError('corrupt', `"${task.instruction}" does not match the app ${app}: ${instance.unfit}`, {
        field: 'tasks',
        fix: 'create the pool again: the app has changed',
      });
    },
  };
}
