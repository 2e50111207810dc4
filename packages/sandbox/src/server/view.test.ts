import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { Action, Point } from '@gyre/protocol';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { BrowserPool } from '../browser/pool.js';
import { Sandbox } from '../lease/sandbox.js';
import { type BrowserSession, browserOf, type Session } from '../lease/session.js';
import { serveSandbox, type SandboxServer } from './server.js';
import { AccessTokens } from './tokens.js';

const isolated = (await probeIsolation()).kind !== 'none';
const [mine, theirs, watcher] = [AccessTokens.random(), AccessTokens.random(), AccessTokens.random()];
const size = { width: 320, height: 240 };

let sandbox: Sandbox;
let server: SandboxServer;
let session: Session;
let path: string;
beforeAll(async () => {
  sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
  server = await serveSandbox({
    sandbox,
    tokens: [
      { token: mine, scope: 'operate' },
      { token: theirs, scope: 'operate' },
      { token: watcher, scope: 'watch' },
    ],
  });
  const response = await ask('POST', '/v1/sessions', { kind: 'browser', size });
  const { id } = (await response.json()) as { id: string };
  path = `/v1/sessions/${id}`;
  session = sandbox.sessions[0]!;
});
afterAll(async () => {
  await server.close();
  await sandbox.close();
});

function ask(method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${mine}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

const page = {
  html: '<body style="margin:0;height:2000px;background:teal"><input id=i autofocus style="position:fixed;top:200px">',
  script: `() => {
    globalThis.felt = [];
    for (const type of ['mousedown', 'mouseup', 'dblclick', 'contextmenu'])
      addEventListener(type, ({ clientX, clientY, button }) => felt.push([type, clientX, clientY, button]));
    addEventListener('keydown', ({ key, ctrlKey }) => felt.push(['key', ctrlKey ? 'ctrl ' + key : key]));
    i.focus();
  }`,
  seed: 1,
};

type Felt = (string | number)[][];

const click: Action = { type: 'click', point: { x: 0.5, y: 0.5 } };

describe('the live view', () => {
  let pool: BrowserPool;
  let viewer: BrowserSession;
  beforeAll(async () => {
    pool = await BrowserPool.launch({ clock: 'free', network: 'any' });
  });
  afterAll(() => pool.close());

  const see = (expression: string) => viewer.browser.evaluate<unknown>(expression);
  const text = (id: string) => see(`document.getElementById('${id}').textContent`);
  const hidden = (id: string) => see(`document.getElementById('${id}').hidden`);
  const press = async (id: string) => {
    const point = await see(
      `(() => { const { x, y, width, height } = document.getElementById('${id}').getBoundingClientRect();
        return { x: (x + width / 2) / innerWidth, y: (y + height / 2) / innerHeight }; })()`,
    );
    await viewer.screen.act({ type: 'click', point: point as Point });
  };
  const placeOf = async (x: number, y: number) =>
    (await see(
      `(() => { const box = document.getElementById('screen').getBoundingClientRect();
        const scale = Math.min(box.width / ${size.width}, box.height / ${size.height});
        return { x: (box.x + box.width / 2 + (${x} - ${size.width / 2}) * scale) / innerWidth,
          y: (box.y + box.height / 2 + (${y} - ${size.height / 2}) * scale) / innerHeight }; })()`,
    )) as Point;
  const felt = async () => {
    const events = await browserOf(session).evaluate<Felt>('felt');
    // Viewer px are coarser.
    const near = (value: string | number) =>
      typeof value === 'number' && value > 9 ? Math.round(value / 4) * 4 : value;
    return events.map((one) => one.map(near));
  };
  const visit = async (token: string) => {
    viewer = await pool.lease({ size: { width: 900, height: 600 } });
    await viewer.browser.navigate(`${server.url}${path}/view#token=${token}&name=Anna`);
    await expect.poll(() => text('stateText'), { timeout: 10_000 }).toBe('live');
  };

  it('shows the screen to watchers, and hides the token', async () => {
    await browserOf(session).open(page);
    await visit(watcher);
    expect(await text('facts')).toBe('browser · 320 × 240');
    expect(await see('location.href')).toBe(`${server.url}${path}/view`);
    expect([await hidden('take'), await hidden('record')]).toEqual([true, true]);
    const corner = "[...document.getElementById('screen').getContext('2d').getImageData(300, 2, 1, 1).data]";
    await expect.poll(() => see(corner), { timeout: 10_000 }).toEqual([0, 128, 128, 255]);
    await browserOf(session).evaluate('document.body.style.background = "rgb(1, 2, 3)"');
    await session.screen.act({ type: 'wait', seconds: 0.1 });
    await expect.poll(() => see(corner), { timeout: 10_000 }).toEqual([1, 2, 3, 255]);
    await viewer.release();
  });

  it('asks for a token if it is missing or wrong', async () => {
    viewer = await pool.lease({ size: { width: 900, height: 600 } });
    await viewer.browser.navigate(`${server.url}${path}/view#token=${AccessTokens.random()}`);
    await expect.poll(() => text('noticeText'), { timeout: 10_000 }).toContain('the token is missing');
    expect(await hidden('tokenForm')).toBe(false);
    await viewer.release();
  });

  it('gives mouse and keyboard to the person who takes over, exclusively until they are given back', async () => {
    await browserOf(session).open(page);
    await visit(mine);
    await press('take');
    await expect.poll(() => text('stateText'), { timeout: 10_000 }).toBe('you have taken over');
    const refused = await ask('POST', `${path}/act`, { actions: [click] });
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({
      error: { code: 'held', message: 'Anna has taken over the session', fix: expect.any(String) as string },
    });
    const place = await placeOf(120, 80);
    await expect.poll(() => see("document.getElementById('screen').width"), { timeout: 10_000 }).toBe(size.width);
    await viewer.screen.act({ type: 'click', point: place });
    await expect.poll(felt, { timeout: 10_000 }).toEqual([
      ['mousedown', 120, 80, 0],
      ['mouseup', 120, 80, 0],
    ]);
    await viewer.screen.act({ type: 'double_click', point: place });
    await expect.poll(felt, { timeout: 10_000 }).toContainEqual(['dblclick', 120, 80, 0]);
    await viewer.screen.act({ type: 'right_click', point: place });
    await expect.poll(felt, { timeout: 10_000 }).toContainEqual(['contextmenu', 120, 80, 2]);
    await viewer.screen.act({ type: 'drag', start: place, end: await placeOf(240, 40) });
    await expect.poll(async () => (await felt()).at(-1), { timeout: 10_000 }).toEqual(['mouseup', 240, 40, 0]);
    await viewer.screen.act({ type: 'scroll', point: place, direction: 'down' });
    await expect.poll(() => browserOf(session).evaluate('scrollY'), { timeout: 10_000 }).toBeGreaterThan(50);
    await browserOf(session).evaluate('i.focus()');
    await viewer.screen.act({ type: 'type', text: 'Hé' });
    await viewer.screen.act({ type: 'hotkey', keys: 'arrowleft' });
    await viewer.screen.act({ type: 'hotkey', keys: 'ctrl a' });
    await expect.poll(felt, { timeout: 10_000 }).toContainEqual(['key', 'ctrl a']);
    expect(await felt()).toContainEqual(['key', 'ArrowLeft']);
    await press('take');
    await expect.poll(() => text('stateText'), { timeout: 10_000 }).toBe('live');
    expect((await ask('POST', `${path}/act`, { actions: [click] })).status).toBe(200);
    await viewer.release();
  });

  it('is one static page that loads nothing else', async () => {
    const response = await fetch(`${server.url}${path}/view`);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    const html = await response.text();
    expect(html).toBe(await (await fetch(`${server.url}/v1/sessions/nothing/view`)).text());
    expect(html).not.toMatch(/(src|href)="http/);
  });
});

describe('a connection with control', () => {
  const connect = (token: string, query = '') =>
    new WebSocket(`${server.url.replace('http', 'ws')}${path}/control${query}`, [
      'gyre',
      `gyre.bearer.${Buffer.from(token).toString('base64url')}`,
    ]);
  const opened = (socket: WebSocket) => new Promise((resolve) => socket.once('open', resolve));
  const closed = (socket: WebSocket) =>
    new Promise((resolve) => {
      socket.once('error', ({ message }) => resolve(message));
      socket.once('close', (code, reason) => resolve(`${code} ${reason.toString()}`));
    });
  const answer = (socket: WebSocket, message: unknown) => {
    socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    return new Promise((resolve) =>
      socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString()) as unknown)),
    );
  };

  it('answers each action, and reports invalid ones', async () => {
    const socket = connect(mine);
    await opened(socket);
    expect(socket.protocol).toBe('gyre');
    expect(await answer(socket, { id: 1, action: click })).toEqual({ id: 1 });
    expect(await answer(socket, { id: 2, action: { type: 'fly' } })).toMatchObject({
      id: 2,
      error: { code: 'bad_input' },
    });
    expect(await answer(socket, { id: 3, action: { type: 'press_home' } })).toMatchObject({
      id: 3,
      error: { code: 'bad_input' },
    });
    expect(await answer(socket, '{')).toMatchObject({ error: { code: 'bad_input' } });
    socket.close();
    await expect.poll(() => sandbox.sessions[0]!.control.holder).toBeUndefined();
  });

  it('is exclusive, and ends when its client vanishes', async () => {
    const first = connect(mine, '?name=Ben');
    await opened(first);
    expect(await closed(connect(mine))).toBe('4409 Ben has taken over the session');
    expect(await answer(first, { id: 1, action: { type: 'mouse_down', point: { x: 0.1, y: 0.1 } } })).toEqual({
      id: 1,
    });
    first.terminate();
    await expect.poll(() => sandbox.sessions[0]!.control.holder).toBeUndefined();
    await browserOf(session).open(page);
    expect((await ask('POST', `${path}/act`, { actions: [click] })).status).toBe(200);
  });

  it('is available to the leaser of the session', async () => {
    expect(await closed(connect(watcher))).toContain('403');
    expect(await closed(connect(AccessTokens.random()))).toContain('401');
    expect(await closed(connect(theirs))).toContain('4404');
  });
});

it('a session that is watched shows the same frames, and is drawn once for all', async () => {
  const play = async (watchers: number) => {
    const played = await sandbox.lease({ kind: 'browser', size });
    const gone = new AbortController();
    await browserOf(played).open({
      html: '<body><b style="display:inline-block;animation:turn 1s infinite">x</b><p id=p></p><style>@keyframes turn{to{rotate:1turn}}</style><script>onclick=()=>p.append(Math.random())</script>',
      seed: 5,
    });
    const watching = Array.from({ length: watchers }, async () => {
      const seen: string[] = [];
      for await (const { hash } of played.frames({ perSecond: 60, signal: gone.signal })) seen.push(hash);
      return seen;
    });
    const hashes: string[] = [];
    for (let turn = 0; turn < 15; turn++) {
      await played.screen.act(click);
      hashes.push((await played.screen.observe()).hash);
    }
    if (watchers > 0) await expect.poll(async () => (await played.screen.observe()).hash).toBe(hashes.at(-1));
    gone.abort();
    const seen = await Promise.all(watching);
    await played.release();
    return { hashes, seen };
  };
  const alone = await play(0);
  const watched = await play(20);
  expect(watched.hashes).toEqual(alone.hashes);
  for (const seen of watched.seen) expect(seen.length).toBeGreaterThan(0);
});
