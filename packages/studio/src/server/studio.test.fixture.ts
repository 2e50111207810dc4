import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oraclePolicy, type Oracle, type Policy, randomPolicy, runEpisodes, TaskSessions } from '@gyre/agent';
import { Lake } from '@gyre/lake';
import { type Episode, GyreError } from '@gyre/protocol';
import { openTask, taskOf } from '@gyre/tasks';
import { onTestFinished } from 'vitest';
import type { StudioPolicies } from './replayRoutes.js';
import { serveStudio, type StudioServer } from './server.js';

export const scripted: Readonly<Record<string, () => Policy | Oracle>> = {
  oracle: () => oraclePolicy,
  random: () => randomPolicy({ functions: ['click', 'type'] }),
};

/** Makes a folder of runs with a lake that has these episodes. */
export async function aRun(tasks: readonly string[], policy: Policy | Oracle = oraclePolicy) {
  const root = await mkdtemp(join(tmpdir(), 'gyre-studio-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const lake = await Lake.open(join(root, 'mine', 'lake'));
  const pool = new TaskSessions({ browsers: 1, sessionsPerBrowser: 2 });
  const episodes: Episode[] = [];
  try {
    const jobs = tasks.map((id) => {
      const instance = taskOf(id);
      return { task: instance.task, open: () => openTask(instance, pool), purpose: 'eval', seed: 1 };
    });
    for await (const episode of runEpisodes({ pool, lake, jobs, policy, concurrency: 2 })) episodes.push(episode);
    await lake.flush();
  } finally {
    await pool.close();
  }
  return { root, lake, episodes };
}

/** Offers scripted policies. */
export function policiesOf(policies = scripted): StudioPolicies {
  return {
    names: () => Promise.resolve(Object.keys(policies)),
    open: (name) => {
      const policy = policies[name]?.();
      if (policy) return Promise.resolve({ policy, screenshots: 1, close: () => Promise.resolve() });
      return Promise.reject(new GyreError('bad_input', `there is no policy ${name}`, { field: 'policy' }));
    },
  };
}

/** Serves a folder with these policies. Default: `oracle` and `random`. */
export async function aStudio(root: string, policies = scripted): Promise<StudioServer & { readonly token: string }> {
  const server = await serveStudio({ runs: [root], policies: policiesOf(policies) });
  onTestFinished(() => server.close());
  return { ...server, token: new URLSearchParams(new URL(server.link).hash.slice(1)).get('token')! };
}
