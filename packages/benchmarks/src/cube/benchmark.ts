import { GyreError, type Split, type Task } from '@gyre/protocol';
import type { AnyInstance, TaskFamily } from '@gyre/tasks';
import { z } from 'zod';
import type { Benchmark } from '../benchmark.js';
import { CubeEnvironment, CubeTask } from './environment.js';
import { CubeServer } from './rpc.js';

const listMs = 120_000;
const defaultBudget = 50;

const Info = z.object({ name: z.string().regex(/^[\w.-]{1,100}$/), version: z.string() });
const Metadata = z.object({
  id: z.string().min(1),
  abstract_description: z.string().nullish(),
  recommended_max_steps: z.int().positive().nullish(),
});

export interface CubeOptions {
  /** Address of the benchmark's server. */
  readonly url: string;
}

interface CubeInstance extends AnyInstance {
  readonly official: CubeTask;
  readonly description: string;
}

/**
 * Opens a benchmark of the CUBE standard (cube-standard 0.1.0rc10) that its own server serves: all of its tasks are one family.
 *
 * @throws GyreError `infra` if the server does not answer by the standard, `bad_input` for a URL of another kind
 */
export async function openCube({ url }: CubeOptions): Promise<Benchmark> {
  const server = new CubeServer(url);
  const { name, version } = await server.call('cube/info', {}, Info, { timeoutMs: listMs });
  const listed = await server.call('cube/tasks', {}, z.array(Metadata), { timeoutMs: listMs });
  const known = new Map(listed.map((metadata) => [metadata.id, metadata]));
  const tasks = await server.call('cube/task_configs', {}, z.array(CubeTask).min(1), { timeoutMs: listMs });
  const familyName = `cube.${name}`;
  const family: TaskFamily<CubeInstance> = {
    name: familyName,
    description: `Tasks of ${name}, at a CUBE server.`,
    heldOut: true,
    unscripted: true,
    seeds: tasks.map((_, index) => index),
    create(_split: Split, seed: number): CubeInstance {
      const official = tasks[seed];
      if (!official) throw noTask(name, seed, tasks.length);
      const { abstract_description: description, recommended_max_steps: budget } =
        known.get(official.metadata.id) ?? {};
      const task: Task = {
        ...{ id: `${familyName}/test/${seed}`, family: familyName, split: 'test', seed },
        instruction: `solve the task ${official.metadata.id}`,
        surfaces: ['screen', 'tools'],
        ...{ screen: { width: 160, height: 160 }, stepBudget: budget ?? defaultBudget },
      };
      return { task, official, description: description || task.instruction, instructs: true };
    },
    open: ({ task, official, description }) => new CubeEnvironment({ task, official, description, benchmark: server }),
  };
  return {
    name: familyName,
    revision: `${name} ${version} at a CUBE server`,
    suite: { [familyName]: family },
    total: tasks.length,
    leftOut: [],
    close: () => Promise.resolve(),
  };
}

const noTask = (name: string, seed: number, count: number) =>
  new GyreError('bad_input', `${name} has no task ${seed}`, { field: 'seed', fix: `use 0 to ${count - 1}` });
