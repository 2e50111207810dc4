import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Job, type Policy, TaskSessions, runEpisodes } from '@gyre/agent';
import { Lake } from '@gyre/lake';
import type { Episode } from '@gyre/protocol';
import { corpusOf, familyOf, openTask } from '@gyre/tasks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

let directory: string;
/** Oracle episodes of several turns. */
let episodes: Episode[];

const here = () => ['--directory', directory, '--json'] as const;

async function inLake<T>(use: (lake: Lake) => Promise<T>): Promise<T> {
  const lake = await Lake.open(join(directory, 'lake'));
  try {
    return await use(lake);
  } finally {
    await lake.close();
  }
}

const recorded = (purpose: string) =>
  inLake(async (lake) => {
    const matches: Episode[] = [];
    for await (const episode of lake.episodes({ purpose })) matches.push(episode);
    return matches;
  });

const record = (episode: Episode, change: Partial<Episode>) =>
  inLake(async (lake) => {
    const { turns, end, verdict, ...start } = { ...episode, ...change };
    const writer = await lake.begin(start);
    for (const turn of turns) await writer.append(turn);
    await writer.finish(end, verdict);
  });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-replay-'));
  await inProcess('rollout', '--family', 'maze', '--policy', 'oracle', '--episodes', '3', ...here());
  episodes = await recorded('rollout');
  const [first] = episodes as [Episode];
  const otherTurn = { ...first.turns[1]!, observation: { ...first.turns[1]!.observation, screenshot: 'a'.repeat(64) } };
  const turns = first.turns.map((turn, index) => (index === 1 ? otherTurn : turn));
  await record(first, { id: 'changed', purpose: 'changed', turns });
  const instructed = { ...first.task, id: 'free/dev/one', family: 'free', instruction: 'press it' };
  await record(first, { id: 'free', purpose: 'free', task: instructed });
  const origin = { format: 'agentnet', source: 'somewhere' };
  const task = { ...first.task, id: 'agentnet/train/a', family: 'agentnet' };
  await record(first, { id: 'imported', purpose: 'free', task, origin });
});
afterAll(() => rm(directory, { recursive: true }));

describe('gyre replay', () => {
  test('finds many episodes identical, and takes the newest of them', async () => {
    const replays = await inProcess('replay', '--purpose', 'rollout', ...here());
    expect(lastJson(replays.stdout)).toMatchObject({ verified: 3, different: 0, failed: 0, leftOut: 0 });
    expect(replays.status).toBe(0);
    const last = await inProcess('replay', '--purpose', 'rollout', '--last', '1', ...here());
    expect(lastJson(last.stdout)).toMatchObject({ verified: 1, episodes: [{ episode: episodes.at(-1)?.id }] });
  });

  test('fails where a frame differs, and names the first', async () => {
    const { status, stdout, stderr } = await inProcess('replay', 'changed', episodes[1]!.id, ...here());
    expect(status).toBe(1);
    expect(lastJson(stdout)).toMatchObject({ verified: 1, different: 1 });
    expect(stderr).toContain('different: first after turn 2');
  });

  test('skips episodes without a task, with the reason', async () => {
    const { status, stdout } = await inProcess('replay', '--purpose', 'free', ...here());
    expect(status).toBe(1);
    const { leftOut, episodes } = lastJson(stdout) as { leftOut: number; episodes: { reason: string }[] };
    expect(leftOut).toBe(2);
    expect(episodes.map(({ reason }) => reason).sort()).toEqual([
      expect.stringContaining('it has no task, only an instruction ("press it")'),
      expect.stringContaining('was imported (agentnet, somewhere) without its task'),
    ]);
    const alone = await inProcess('replay', 'free', ...here());
    expect(lastJson(alone.stdout)).toMatchObject({
      error: { field: 'episode', message: expect.stringContaining('it has no task, only an instruction') as string },
    });
  });

  test.each([
    [[], 'an episode id is missing'],
    [['some', '--last', '2'], 'episode ids and selecting flags cannot be combined'],
    [['nobody'], 'no episode nobody in the lake'],
  ])('refuses %j', async (args, message) => {
    const { status, stdout } = await inProcess('replay', ...args, ...here());
    expect(status).not.toBe(0);
    expect(lastJson(stdout)).toMatchObject({ error: { field: 'episode', message } });
  });
});

describe('gyre fork', () => {
  test('keeps the first turns, and lets another policy continue', async () => {
    const [from] = episodes as [Episode];
    const { status, stdout } = await inProcess(
      ...['fork', from.id, '--turn', '2', '--policy', 'random', '--attempts', '2', ...here()],
    );
    expect(status).toBe(0);
    expect(lastJson(stdout)).toMatchObject({ episode: from.id, turn: 2, policy: 'random', attempts: 2 });
    const forks = await recorded('fork');
    expect(forks).toHaveLength(2);
    for (const fork of forks) {
      expect(fork).toMatchObject({ policy: 'random', fork: { episode: from.id, turn: 2 }, task: from.task });
      expect(fork.turns.slice(0, 2)).toEqual(from.turns.slice(0, 2));
      expect(fork.observation).toEqual(from.observation);
    }
    expect(forks[0]?.turns[2]?.actions).not.toEqual(forks[1]?.turns[2]?.actions);
    const again = await inProcess('replay', '--purpose', 'fork', ...here());
    expect(lastJson(again.stdout)).toMatchObject({ verified: 2, different: 0 });
  });

  test('repeats the searches of the first turns', async () => {
    const instance = familyOf('browse.lookup').create('dev', 1);
    const query = instance.task.instruction;
    const policy: Policy = {
      name: 'searcher',
      decide: ({ turns }) =>
        Promise.resolve({ actions: [turns.length < 2 ? { type: 'search', query } : { type: 'wait' }] }),
    };
    const pool = new TaskSessions({ browsers: 1, sessionsPerBrowser: 1 });
    const task = { ...instance.task, stepBudget: 3 };
    const [episode] = await inLake(async (lake) => {
      const open: Job['open'] = (machines) => openTask({ ...instance, task }, machines);
      const jobs = [{ task, open, purpose: 'searched', seed: 1, search: corpusOf(task) }];
      const played: Episode[] = [];
      for await (const one of runEpisodes({ pool, lake, jobs, policy, concurrency: 1 })) played.push(one);
      return played;
    }).finally(() => pool.close());
    const args = ['fork', episode!.id, '--turn', '1', '--policy', 'random', ...here()];
    expect(lastJson((await inProcess(...args)).stdout)).toMatchObject({ error: { field: '--search' } });
    const { stdout } = await inProcess(...args, '--search', 'tasks');
    const { episodes: forks } = lastJson(stdout) as { episodes: { episode: string }[] };
    const fork = (await recorded('fork')).find(({ id }) => id === forks[0]!.episode);
    expect(fork?.turns[0]).toEqual(episode!.turns[0]);
    expect(episode!.turns[0]?.observation.results?.[0]?.text).toContain('http');
  });

  test('shows whether an oracle can still solve the task', async () => {
    const [from] = await recorded('fork');
    const { stdout } = await inProcess('fork', from!.id, '--turn', '2', '--policy', 'oracle', ...here());
    expect(lastJson(stdout)).toMatchObject({ attempts: 1, success: 1 });
  });

  test('stops at the turn whose screen is another', async () => {
    const { status, stdout } = await inProcess('fork', 'changed', '--turn', '2', '--policy', 'oracle', ...here());
    expect(status).toBe(1);
    const message = 'the screen after turn 2 differs from the recording of episode changed';
    expect(lastJson(stdout)).toMatchObject({ error: { code: 'bad_input', message } });
  });

  test.each([
    [[], '--turn is missing'],
    [['--turn', '99'], 'turns, after turn 99'],
  ])('refuses %j', async (args, message) => {
    const { status, stdout } = await inProcess('fork', episodes[0]!.id, '--policy', 'oracle', ...args, ...here());
    expect(status).not.toBe(0);
    expect((lastJson(stdout) as { error: { message: string } }).error.message).toContain(message);
  });
});
