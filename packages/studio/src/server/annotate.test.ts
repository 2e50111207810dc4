import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type AgentAction, type Episode } from '@gyre/protocol';
import { randomPolicy } from '@gyre/agent';
import { Lake } from '@gyre/lake';
import { expect, onTestFinished, test } from 'vitest';
import type { AnnotationState, CandidatesAnswer, QueueAnswer, ReviewsAnswer } from './annotateWire.js';
import { serveStudio } from './server.js';
import { aRun, aStudio, policiesOf } from './studio.test.fixture.js';

interface Server {
  readonly url: string;
  readonly token: string;
}

const base = '/api/runs/mine/annotation';

async function ask({ url, token }: Server, path: string, body?: object): Promise<Response> {
  return fetch(url + base + path, {
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
}

async function read<T>(server: Server, path: string, body?: object): Promise<T> {
  const response = await ask(server, path, body);
  const answer = (await response.json()) as T;
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return answer;
}

const claim = (server: Server, by: string, change: object = {}): Promise<AnnotationState> =>
  read(server, '/claim', { by, policy: 'oracle', families: ['search'], ...change });
const on = <T>(server: Server, { episode, turns }: AnnotationState, verb: string, body: object = {}): Promise<T> =>
  read(server, `/episodes/${episode}/${verb}`, { index: turns.length, ...body });

/** Accepts what the policy proposes. */
async function accepted(server: Server, state: AnnotationState): Promise<AnnotationState> {
  const { candidates } = await on<CandidatesAnswer>(server, state, 'candidates');
  return on(server, state, 'act', { actions: candidates[0]!.actions, candidate: 0 });
}

async function episodeOf(root: string, id: string): Promise<Episode> {
  const lake = await Lake.open(join(root, 'mine', 'lake'));
  try {
    for await (const episode of lake.episodes({ ids: [id] })) return episode;
    throw new Error(`no episode ${id}`);
  } finally {
    await lake.close();
  }
}

test('what a person accepts, edits, overrides and takes back is in the lake as it was done', async () => {
  const { root, lake } = await aRun([]);
  await lake.close();
  const studio = await aStudio(root, { typist: () => randomPolicy({ functions: ['type'] }) });
  let state = await claim(studio, 'ann', { policy: 'typist', licence: 'CC-BY-4.0' });
  const { candidates } = await on<CandidatesAnswer>(studio, state, 'candidates');
  expect(candidates.reduce((sum, { samples }) => sum + samples, 0)).toBe(4);
  expect(candidates.every(({ chosen }) => !chosen)).toBe(true);
  const before = state;
  const wait: AgentAction = { type: 'wait' };
  state = await on(studio, state, 'act', { actions: [wait] });
  const first = state.turns[0]!.observation.screenshot;
  state = await on(studio, state, 'act', { actions: candidates[0]!.actions });
  state = await on(studio, state, 'undo');
  expect(state.turns.map(({ observation }) => observation.screenshot)).toEqual([first]);
  const late = await ask(studio, `/episodes/${state.episode}/undo`, { index: before.turns.length });
  expect([late.status, await late.json()]).toMatchObject([400, { error: { field: 'index' } }]);

  const offer = await on<CandidatesAnswer>(studio, state, 'candidates', { again: true });
  const { actions } = offer.candidates[0]!;
  state = await on(studio, state, 'act', { actions, candidate: 0, thought: 'this one', comment: 'unsure' });
  const missing = await ask(studio, `/episodes/${state.episode}/act`, { index: 2, actions: [wait], candidate: 9 });
  expect(await missing.json()).toMatchObject({ error: { code: 'bad_input', field: 'candidate' } });
  await on(studio, state, 'submit', { lastGood: 0, reason: 'lost' });
  const review = { by: 'bob', success: false, verdict: 'accept' };
  expect(await read(studio, `/episodes/${state.episode}/review`, review)).toEqual({ pools: ['sft', 'ct'] });
  await studio.close();

  const { turns, ...episode } = await episodeOf(root, state.episode);
  expect(episode).toMatchObject({
    ...{ policy: 'human:ann', purpose: 'annotation', end: { state: 'stuck' }, verdict: { success: false } },
    origin: { format: 'annotation', source: 'ann', licence: 'CC-BY-4.0' },
  });
  expect(turns).toHaveLength(2);
  expect(turns[0]).toMatchObject({ by: 'ann', actions: [wait] });
  expect(turns[0]!.candidates!.some(({ chosen }) => chosen)).toBe(false);
  expect(turns[0]!.edited).toBeUndefined();
  expect(turns[1]).toMatchObject({
    ...{ by: 'ann', thought: 'this one', edited: { thought: '' }, actions },
    mark: { comment: 'unsure', bad: true, label: 'lost' },
  });
  expect(turns[1]!.candidates!.map(({ chosen }) => chosen).filter(Boolean)).toHaveLength(1);
  expect(turns.every(({ sample, reading }) => sample === undefined && reading !== undefined)).toBe(true);
}, 120_000);

test('a task has one owner, its ways are those of the queue, and reviews decide where it goes', async () => {
  const { root, lake } = await aRun([]);
  await lake.close();
  const studio = await aStudio(root);
  const people = await Promise.all(['ann', 'bob', 'cy'].map((by) => claim(studio, by)));
  expect(new Set(people.map(({ task }) => task.id)).size).toBe(3);
  expect((await claim(studio, 'ann')).episode).toBe(people[0]!.episode);

  const submitted: AnnotationState[] = [];
  for (let state of people.slice(0, 2)) {
    while (!state.outcome) state = await accepted(studio, state);
    await on(studio, state, 'submit');
    submitted.push(state);
  }
  await on(studio, people[2]!, 'release');
  const [first, second] = submitted as [AnnotationState, AnnotationState];
  const states = async () =>
    new Map((await read<QueueAnswer>(studio, '/queue?family=search')).tasks.map(({ task, state }) => [task, state]));
  expect((await states()).get(first.task.id)).toBe('submitted');
  expect((await states()).get(people[2]!.task.id)).toBe('open');

  const review = (episode: string, body: object) => ask(studio, `/episodes/${episode}/review`, body);
  const good = { success: true, verdict: 'accept' };
  const far = await review(first.episode, { by: 'dee', ...good, lastGoodTurn: 99 });
  expect(await far.json()).toMatchObject({ error: { field: 'turns' } });
  const marks = [{ turn: 0, mark: { bad: true } }];
  expect(await (await review(first.episode, { by: 'dee', ...good, turns: marks })).json()).toEqual({ pools: ['sft'] });
  expect(
    await (await review(second.episode, { by: 'dee', success: false, verdict: 'return', reason: 'again' })).json(),
  ).toEqual({
    pools: [],
  });
  expect(await (await review(first.episode, { by: 'eve', success: false, verdict: 'return' })).json()).toEqual({
    pools: [],
  });
  expect((await states()).get(first.task.id)).toBe('accepted');
  expect((await states()).get(second.task.id)).toBe('returned');
  expect((await claim(studio, 'ann')).task.id).toBe(second.task.id);
  expect(await read<ReviewsAnswer>(studio, '/reviews')).toMatchObject({
    ...{ reviews: 3, pairs: 1, disputed: [first.episode], waiting: [] },
    judges: [{ source: 'verifier', episodes: 1 }],
  });
  await studio.close();

  const reader = await Lake.open(join(root, 'mine', 'lake'));
  onTestFinished(() => reader.close());
  const [sample, ...others] = await reader.pool('sft').samples();
  expect(others).toEqual([]);
  const rest = first.turns.slice(1).map(({ index }) => index);
  expect(sample).toMatchObject({ episode: first.episode, turns: rest, origin: 'annotated', by: 'ann' });
}, 120_000);

test('a server that is killed loses no accepted turn, and its annotator continues', async () => {
  const { root, lake } = await aRun([]);
  await lake.close();
  const start = async (): Promise<{ child: ChildProcess; server: Server }> => {
    const child = fork(new URL('annotateServer.test.fixture.js', import.meta.url), [root]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const [server] = (await once(child, 'message')) as [Server];
    return { child, server };
  };
  const { child, server } = await start();
  let state = await claim(server, 'ann');
  state = await accepted(server, state);
  const wait: AgentAction = { type: 'wait' };
  state = await on(server, state, 'act', { actions: [wait] });
  state = await on(server, state, 'act', { actions: [wait] });
  state = await on(server, state, 'undo');
  child.kill('SIGKILL');
  await once(child, 'exit');

  const { server: next } = await start();
  const refused = await ask(next, '/claim', { by: 'bob', policy: 'oracle', task: state.task.id });
  expect(await refused.json()).toMatchObject({ error: { message: 'no task is free' } });
  let resumed = await claim(next, 'ann');
  expect(resumed).toEqual(state);
  resumed = await on(next, resumed, 'undo');
  while (!resumed.outcome) resumed = await accepted(next, resumed);
  expect(resumed.outcome.verdict?.success).toBe(true);
  await on(next, resumed, 'submit');
  const { turns, end } = await episodeOf(root, state.episode);
  expect(end).toEqual({ state: 'finished' });
  expect(turns.map(({ actions }) => actions)).toEqual(resumed.turns.map(({ actions }) => actions));
}, 120_000);

test('the policy goes on where its samples agree, and what it did is not the turn of a person', async () => {
  const { root, lake } = await aRun([]);
  await lake.close();
  const studio = await aStudio(root);
  const unsure = await claim(studio, 'ann', { policy: 'random' });
  expect(await on(studio, unsure, 'proceed', { turns: 2, share: 1 })).toMatchObject({ taken: 0 });
  await on(studio, unsure, 'release');
  const state = await claim(studio, 'ann');
  const { taken, state: next } = await on<{ taken: number; state: AnnotationState }>(studio, state, 'proceed', {
    turns: 1,
  });
  expect(taken).toBe(1);
  expect(next.turns.map(({ by }) => by)).toEqual([undefined]);
}, 120_000);

test('each task is proposed by the checkpoint that is the newest when it is claimed', async () => {
  const { root, lake } = await aRun([]);
  await lake.close();
  let newest = { name: 'random', time: '2026-11-30T19:00:00.000Z' };
  const policies = { ...policiesOf(), newest: () => Promise.resolve(newest) };
  const studio = await serveStudio({ runs: [root], policies });
  onTestFinished(() => studio.close());
  const server = { ...studio, token: new URLSearchParams(new URL(studio.link).hash.slice(1)).get('token')! };
  const first = await claim(server, 'ann', { policy: 'newest' });
  newest = { name: 'oracle', time: '2026-11-30T19:01:00.000Z' };
  const second = await claim(server, 'bob', { policy: 'newest' });
  expect([first.policy, second.policy]).toEqual([
    'random of 2026-11-30T19:00:00.000Z',
    'oracle of 2026-11-30T19:01:00.000Z',
  ]);
  const proposed = (state: AnnotationState) => on<CandidatesAnswer>(server, state, 'candidates');
  expect((await proposed(first)).candidates.reduce((sum, { samples }) => sum + samples, 0)).toBe(4);
  expect((await proposed(second)).candidates).toHaveLength(1);
}, 120_000);

test('only who may operate annotates, and wrong requests name their field', async () => {
  const { root, lake } = await aRun([]);
  await lake.close();
  const studio = await aStudio(root);
  expect((await fetch(`${studio.url}${base}/queue`)).status).toBe(401);
  const watching = await serveStudio({
    runs: [root],
    policies: policiesOf(),
    tokens: [{ token: 'watches-only-0123', scope: 'watch' }],
  });
  onTestFinished(() => watching.close());
  const watcher = { ...watching, token: 'watches-only-0123' };
  expect((await ask(watcher, '/queue')).status).toBe(200);
  for (const path of ['/claim', '/episodes/e/act', '/episodes/e/submit', '/episodes/e/review'])
    expect((await ask(watcher, path, {})).status, path).toBe(403);
  const claiming = { by: 'ann', policy: 'oracle' };
  for (const [body, field] of [
    [{ ...claiming, by: ' ' }, 'by'],
    [{ ...claiming, policy: 'none', families: ['search'] }, 'policy'],
    [{ ...claiming, policy: 'newest', families: ['search'] }, 'policy'],
    [{ ...claiming, families: ['libreoffice'] }, undefined],
    [{ ...claiming, samples: 99 }, 'samples'],
  ] as const) {
    const response = await ask(studio, '/claim', body);
    expect(response.status, JSON.stringify(body)).toBe(400);
    const { error } = (await response.json()) as { error: { code: string; field?: string } };
    expect(error.code).toBe('bad_input');
    if (field !== undefined) expect(error.field).toBe(field);
  }
  const gone = await ask(studio, '/episodes/none/undo', { index: 0 });
  expect(await gone.json()).toMatchObject({ error: { field: 'episode' } });
}, 30_000);
