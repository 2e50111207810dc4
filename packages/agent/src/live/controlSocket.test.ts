import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lake } from '@gyre/lake';
import type { Action, Episode } from '@gyre/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { countTask, sessionDouble } from '../loop/double/sessionDouble.test.fixture.js';
import { type EpisodesOptions, type Job, runEpisodes } from '../loop/episodes.js';
import { inSession } from '../loop/pressTask.test.fixture.js';
import { ControlClient } from './controlClient.js';
import { openControlSocket, shortPath } from './controlSocket.js';

const away: Action = { type: 'mouse_move', point: { x: 0.9, y: 0.9 } };
const typed: Action = { type: 'type', text: 'kettle' };
const anna = { viewer: 'page-of-anna', by: 'Anna' };
const ben = { viewer: 'page-of-ben-1', by: 'Ben' };

async function folder(name = 'lake'): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'gyre-control-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return join(root, name);
}

/** Plays episodes of a policy whose turns wait for `decide`. */
async function playing(more: Partial<Job> = {}, options: Partial<EpisodesOptions> = {}) {
  const lake = await Lake.open(await folder());
  onTestFinished(() => lake.close());
  const session = sessionDouble();
  let decide: () => void = () => undefined;
  const policy: EpisodesOptions['policy'] = {
    name: 'slow',
    decide: async () => {
      await new Promise<void>((resolve) => (decide = resolve));
      return { actions: [away] };
    },
  };
  const { task, ...job } = countTask(session, { stepBudget: 3 });
  const run = runEpisodes({
    ...{ policy, lake, concurrency: 1, pool: { lease: () => Promise.resolve(session) } },
    jobs: [{ ...job, task, open: () => inSession({ ...job, task }, session), ...more }],
    ...options,
  });
  const episodes: Episode[] = [];
  const over = (async () => {
    for await (const episode of run) episodes.push(episode);
  })();
  const client = new ControlClient(lake.directory);
  await expect.poll(() => client.states()).toHaveLength(1);
  const { id } = (await client.states())[0]!;
  const state = async (viewer?: string) => (await client.states(viewer))[0];
  await expect.poll(async () => (await lake.running()).length).toBe(1);
  return { lake, run, client, id, state, over, episodes, decide: () => decide() };
}

test('an episode is paused, stepped, taken over and given back from outside its process', async () => {
  const { client, id, state, over, episodes, decide } = await playing();
  expect(await state()).toEqual({
    ...{ id, state: 'running', waiting: false, mine: false, played: false, measured: false },
  });
  await client.ask(id, 'pause', anna);
  decide();
  await expect.poll(state).toMatchObject({ state: 'paused', waiting: true });
  expect((await client.screen(id)).length).toBeGreaterThan(0);
  await client.ask(id, 'step', anna);
  decide();
  await expect.poll(state).toMatchObject({ state: 'paused', waiting: true });

  expect(await client.ask(id, 'take', anna)).toMatchObject({ state: { state: 'taken', by: 'Anna', mine: true } });
  expect(await state(ben.viewer)).toMatchObject({ by: 'Anna', mine: false });
  for (const verb of ['take', 'give', 'resume', 'stop', 'act'] as const) {
    await expect(client.ask(id, verb, { ...ben, actions: [away] })).rejects.toMatchObject({
      ...{ code: 'held', message: 'Anna has taken over the episode' },
    });
  }
  const { turn, done } = await client.ask(id, 'act', { ...anna, actions: [typed] });
  expect([turn?.by, turn?.index, done]).toEqual(['Anna', 2, false]);
  await client.ask(id, 'give', { ...anna, note: 'go on' });
  await expect(client.ask(id, 'give', anna)).rejects.toMatchObject({ code: 'bad_input' });
  await expect.poll(state).toMatchObject({ state: 'running' });
  decide();
  await over;
  expect(episodes[0]!.turns.map(({ by }) => by)).toEqual([undefined, undefined, 'Anna', undefined]);
  expect(await client.states()).toEqual([]);
  await expect(client.ask(id, 'pause', anna)).rejects.toThrow('cannot be controlled: its process has ended');
});

test('a stopped episode is in the lake as cut, and counts as given up', async () => {
  const over: (Episode | undefined)[] = [];
  const { client, id, run, lake, ...playingOn } = await playing({}, { onOver: (_, episode) => over.push(episode) });
  await client.ask(id, 'stop', anna);
  await playingOn.over;
  expect([run.counts.cut, run.givenUp, over]).toEqual([
    ...[1, [expect.objectContaining({ message: 'a person stopped it' })], [undefined]],
  ]);
  const ends: string[] = [];
  for await (const { end } of lake.episodes()) ends.push(end.state);
  expect(ends).toEqual(['cut']);
});

test('an evaluation is not taken over', async () => {
  const { client, id, state, over } = await playing({ purpose: 'eval' });
  expect(await state()).toMatchObject({ measured: true });
  await expect(client.ask(id, 'take', anna)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'verb' } });
  await client.ask(id, 'stop', anna);
  await over;
});

test('only this user reaches the socket, which goes with the run; those of killed processes go with the next', async () => {
  const lake = await folder();
  const first = (await openControlSocket(lake))!;
  const [name = ''] = await readdir(join(lake, 'live'));
  expect((await stat(join(lake, 'live'))).mode & 0o777).toBe(0o700);
  expect((await stat(join(lake, 'live', name))).mode & 0o777).toBe(0o600);
  await first.close();
  expect(await readdir(join(lake, 'live'))).toEqual([]);

  // A killed process leaves its socket, where nobody answers.
  const script = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', script, join(lake, 'live', 'dead.sock')]);
  expect(await readdir(join(lake, 'live'))).toEqual(['dead.sock']);
  const second = (await openControlSocket(lake))!;
  expect(await readdir(join(lake, 'live'))).not.toContain('dead.sock');
  await second.close();
});

test('a folder with a long path has a socket too', async () => {
  const lake = await folder(`${'long/'.repeat(30)}lake`);
  const socket = (await openControlSocket(lake))!;
  const { path, close } = await shortPath(join(lake, 'live'), 'x.sock');
  expect(path.length).toBeLessThan(100);
  await close();
  expect(await readdir(join(lake, 'live'))).toHaveLength(1);
  expect(await new ControlClient(lake).states()).toEqual([]);
  await socket.close();
  expect(await readdir(join(lake, 'live'))).toEqual([]);
});

test('a request that is not understood names its field', async () => {
  const { client, id, over } = await playing();
  await expect(client.ask(id, 'pause', { viewer: 'x', by: 'Anna' })).rejects.toMatchObject({
    ...{ code: 'bad_input', detail: { field: 'viewer' } },
  });
  await expect(client.ask(id, 'jump' as 'pause', anna)).rejects.toMatchObject({ code: 'bad_input' });
  await client.ask(id, 'stop', anna);
  await over;
});
