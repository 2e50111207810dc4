import { runEpisode } from '../../packages/agent/dist/index.js';
import { openTask } from '../../packages/tasks/dist/index.js';

/** Official benchmarks have machines of their own. */
const machines = { lease: () => Promise.reject(new Error('no machine of gyre is needed')) };

/**
 * Plays a task of a benchmark, and returns its episode.
 *
 * @param script turns' actions, or a function that returns a turn's
 */
export async function play(family, seed, script) {
  const instance = family.create('test', seed);
  const environment = openTask(instance, machines, family);
  const policy = {
    name: 'script',
    decide: (context) => {
      const actions = typeof script === 'function' ? script(context) : script[context.turns.length];
      return Promise.resolve({ actions: actions ?? [{ type: 'finished' }] });
    },
  };
  try {
    return await runEpisode({ environment, policy, purpose: 'eval', seed: 1, reproduce: true });
  } finally {
    await environment.close();
  }
}
