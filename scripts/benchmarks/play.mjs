import { runEpisode } from '../../packages/agent/dist/index.js';
import { openTask } from '../../packages/tasks/dist/index.js';

/** Official benchmarks have machines of their own. */
const machines = { lease: () => Promise.reject(new Error('no machine of gyre is needed')) };

/** Plays a task of a benchmark by a script of turns, and returns its episode. */
export async function play(family, seed, script) {
  const instance = family.create('test', seed);
  const environment = openTask(instance, machines, family);
  const policy = {
    name: 'script',
    decide: ({ turns }) => Promise.resolve({ actions: script[turns.length] ?? [{ type: 'finished' }] }),
  };
  try {
    return await runEpisode({ environment, policy, purpose: 'eval', seed: 1, reproduce: true });
  } finally {
    await environment.close();
  }
}
