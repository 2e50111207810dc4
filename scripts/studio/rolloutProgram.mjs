import { join } from 'node:path';
import { randomPolicy, runEpisodes, TaskSessions } from '../../packages/agent/dist/index.js';
import { Lake } from '../../packages/lake/dist/index.js';
import { openTask, taskOf } from '../../packages/tasks/dist/index.js';

/*
 * Plays rounds of random episodes into a lake when it is told to, and tells the CPU time of this process. Arguments: FOLDER SESSIONS.
 */

const [, , folder, sessions] = process.argv;
const concurrency = Number(sessions);
const lake = await Lake.open(join(folder, 'lake'));
const pool = new TaskSessions({ browsers: 1, sessionsPerBrowser: concurrency });
const policy = randomPolicy({ functions: ['click'] });
process.on('message', async ({ episodes, seed, controls }) => {
  const jobs = Array.from({ length: episodes }, (_, i) => {
    const instance = taskOf(`tabs/train/${i}`);
    return { task: instance.task, open: () => openTask(instance, pool), purpose: 'rollout', seed };
  });
  // Without the folder nobody can find its episodes to control them.
  const target = controls
    ? lake
    : { begin: (start) => lake.begin(start), putScreenshot: (...args) => lake.putScreenshot(...args) };
  const [begin, used] = [performance.now(), process.cpuUsage()];
  let turns = 0;
  for await (const episode of runEpisodes({ pool, lake: target, jobs, policy, concurrency }))
    turns += episode.turns.length;
  const { user, system } = process.cpuUsage(used);
  process.send({ turns, cpuMs: (user + system) / 1_000, wallMs: performance.now() - begin });
});
process.once('SIGTERM', async () => {
  await pool.close();
  await lake.close();
  process.exit(0);
});
process.send('ready');
