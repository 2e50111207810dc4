import { argv } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { oraclePolicy, type Oracle, runEpisodes, TaskSessions } from '@gyre/agent';
import { Lake } from '@gyre/lake';
import { openTask, taskOf } from '@gyre/tasks';

/** An oracle that thinks before each turn. */
export const slow = (ms: number): Oracle => ({
  ...oraclePolicy,
  solve: async (solution, context) => {
    await pause(ms, undefined, { signal: context.signal });
    return { ...(await oraclePolicy.solve(solution, context)), thought: 'I press what the task names' };
  },
});

/** Plays tasks into a lake. */
export async function rollout(directory: string, tasks: readonly string[], ms: number): Promise<void> {
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
