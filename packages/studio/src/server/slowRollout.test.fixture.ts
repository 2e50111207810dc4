import { argv } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { type Policy, randomPolicy, runEpisodes, TaskSessions } from '@gyre/agent';
import { Lake } from '@gyre/lake';
import { openTask, taskOf } from '@gyre/tasks';

/** Clicks somewhere, after it has thought for `ms`. */
function slow(ms: number): Policy {
  const policy = randomPolicy({ functions: ['click'] });
  return {
    ...policy,
    decide: async (context) => {
      await pause(ms, undefined, { signal: context.signal });
      return { ...(await policy.decide(context)), thought: 'I press somewhere' };
    },
  };
}

/** Plays tasks into a lake. */
async function rollout(directory: string, tasks: readonly string[], ms: number): Promise<void> {
  const lake = await Lake.open(directory);
  const pool = new TaskSessions({ browsers: 1, sessionsPerBrowser: tasks.length });
  try {
    const jobs = tasks.map((id) => {
      const instance = taskOf(id);
      return { task: instance.task, open: () => openTask(instance, pool), purpose: 'rollout', seed: 1 };
    });
    const episodes = runEpisodes({ pool, lake, jobs, policy: slow(ms), concurrency: tasks.length });
    while (!(await episodes.next()).done);
  } finally {
    await pool.close();
    await lake.close();
  }
}

// As a program: LAKE MS TASK...
const [, file = '', directory, ms, ...tasks] = argv;
if (directory !== undefined && file.endsWith('slowRollout.test.fixture.js'))
  await rollout(directory, tasks, Number(ms));
