import { expect, onTestFinished, test } from 'vitest';
import { serveStudio } from './server.js';
import { aRun } from './studio.test.fixture.js';

const watch = 'a-token-that-watches';
const operate = 'a-token-that-operates';

/** Serves a run with one episode that has ended. */
async function served() {
  const { root, lake, episodes } = await aRun(['click/test/7']);
  await lake.close();
  const server = await serveStudio({
    ...{ runs: [root], policies: { names: () => Promise.resolve([]), open: () => Promise.reject(new Error('none')) } },
    tokens: [
      { token: watch, scope: 'watch' },
      { token: operate, scope: 'operate' },
    ],
  });
  onTestFinished(() => server.close());
  const send = (path: string, token?: string, body?: object) => ask(server.url + path, token, body);
  return { path: `/api/runs/mine/live/${episodes[0]!.id}`, send };
}

async function ask(url: string, token: string | undefined, body?: object) {
  const response = await fetch(url, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
  });
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
}

const anna = { viewer: 'page-of-anna', by: 'Anna' };

test('watching needs a token, and control one for operate', async () => {
  const { path, send } = await served();
  expect(await send('/api/live', undefined)).toMatchObject({ status: 401 });
  expect(await send('/api/live', watch)).toEqual({ status: 200, answer: [] });
  expect(await send(path, watch)).toMatchObject({ status: 200, answer: { status: 'ended', offersNext: false } });
  for (const verb of ['pause', 'resume', 'step', 'stop', 'take', 'act', 'give']) {
    expect(await send(`${path}/${verb}`, watch, anna)).toMatchObject({ status: 403 });
  }
  expect(await send('/api/live/next', watch, {})).toMatchObject({ status: 403 });
});

test('an episode that has ended is shown with its words, and cannot be controlled', async () => {
  const { path, send } = await served();
  const { answer } = await send(path, watch);
  expect(answer).toMatchObject({
    ...{ run: 'mine', end: { state: 'finished' }, verdict: { success: true }, moves: false },
    turns: [{ words: [expect.stringMatching(/^click at \d+ %, \d+ %$/)] }],
  });
  expect(await send(`${path}/take`, operate, anna)).toMatchObject({
    ...{ status: 400, answer: { error: { code: 'bad_input', field: 'episode' } } },
  });
  expect(await send(`${path}/take`, operate, { by: 'Anna' })).toMatchObject({
    ...{ status: 400, answer: { error: { field: 'viewer' } } },
  });
  expect(await send('/api/runs/mine/live/nobody', watch)).toMatchObject({ status: 404 });
  expect(await send('/api/live/next', operate, {})).toMatchObject({ status: 404 });
});
