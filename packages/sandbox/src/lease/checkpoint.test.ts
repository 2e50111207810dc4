import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Checkpoint } from './checkpoint.js';
import { SandboxClient } from '../client/client.js';
import { missingForDesktop } from '../desktop/requirement.js';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { Sandbox } from './sandbox.js';
import { serveSandbox } from '../server/server.js';
import { AccessTokens } from '../server/tokens.js';

const isolated = (await probeIsolation()).kind !== 'none';
const terms = { kind: 'browser', size: { width: 200, height: 150 } } as const;
const page = {
  html: `<style>@keyframes go { to { margin-left: 100px } } b { display: block; animation: go 3s linear infinite }</style>
    <b>go</b><input id=i><button id=p style="position:fixed;left:0;bottom:0;width:60px;height:60px"
    onclick="document.body.append(Math.random().toFixed(4) + ' ' + Date.now() + ' ')">press</button>`,
  seed: 7,
};
const press = { type: 'click', point: { x: 0.1, y: 0.9 } } as const;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
});
afterAll(() => sandbox.close());

const stored = (checkpoint: Checkpoint): Checkpoint => JSON.parse(JSON.stringify(checkpoint)) as Checkpoint;

describe('a frame-stepped page', () => {
  it('is restored to the same frame, and goes on in the same way', async () => {
    const user = isolated ? { user: 'user' } : {};
    const session = await sandbox.lease({ ...terms, ...user, stepMs: 50 });
    await session.browser.open({ html: 'another page, before', seed: 1 });
    await session.browser.open(page);
    await session.screen.act({ type: 'click', point: { x: 0.3, y: 0.2 } });
    await session.screen.act({ type: 'type', text: 'abc' });
    await session.screen.observe();
    await session.screen.act(press);
    await session.browser.advance(333);
    await session.browser.evaluate(`document.body.append('set by hand')`);
    await expect(session.browser.evaluate(`document.title = 'x'; throw 1`)).rejects.toThrow();
    await expect(session.screen.act({ type: 'hotkey', keys: 'no such key' })).rejects.toThrow();
    await session.files.write('a/note.txt', 'kept', { folders: true });
    const checkpoint = stored(await session.checkpoint());
    // The refused action counts, since it redrew the frame.
    const done = ['open', 'act', 'act', 'act', 'advance', 'evaluate', 'evaluate', 'act'];
    expect(checkpoint.page?.steps.map((step) => step.do)).toEqual(done);
    const again = await sandbox.restore(checkpoint);
    expect(again.id).not.toBe(session.id);
    expect((await again.screen.observe()).hash).toBe((await session.screen.observe()).hash);
    for (const each of [session, again]) {
      await each.screen.act(press);
      await each.browser?.advance(500);
    }
    expect((await again.screen.observe()).hash).toBe((await session.screen.observe()).hash);
    expect(await again.files.read('a/note.txt')).toMatchObject({ text: 'kept' });
    expect(again.home).toBe(isolated ? '/home/user' : again.home);
    const third = await sandbox.restore(stored(await again.checkpoint()));
    expect((await third.screen.observe()).hash).toBe((await again.screen.observe()).hash);
    await Promise.all([session.release(), again.release(), third.release()]);
  }, 20_000);

  it('that replays differently is a clear error, and leaves nothing behind', async () => {
    const session = await sandbox.lease(terms);
    await session.browser.open(page);
    await session.screen.act(press);
    const checkpoint = stored(await session.checkpoint());
    const [opening, ...rest] = checkpoint.page!.steps;
    const forged = {
      ...checkpoint,
      page: { ...checkpoint.page!, steps: [{ ...opening!, page: { ...page, seed: 8 } }, ...rest] },
    };
    const wrong = sandbox.restore(forged);
    await expect(wrong).rejects.toMatchObject({ code: 'corrupt', detail: { field: 'page.hash' } });
    const broken = { do: 'evaluate', expression: 'throw 1' } as const;
    const failing = sandbox.restore({ ...checkpoint, page: { ...checkpoint.page!, steps: [opening!, broken] } });
    await expect(failing).rejects.toMatchObject({ code: 'corrupt', detail: { field: 'steps.1' } });
    expect(sandbox.sessions).toEqual([session]);
    await session.release();
    await expect(session.checkpoint()).rejects.toMatchObject({ code: 'infra' });
  }, 20_000);

  it('is not restored from an invalid checkpoint', async () => {
    const whole = { version: 1, at: new Date().toISOString(), terms, home: '' } as const;
    for (const [malformed, field] of [
      [undefined, 'checkpoint'],
      [{ ...whole, version: 2 }, 'version'],
      [{ ...whole, terms: { ...terms, readable: ['/'] } }, 'terms'],
      [{ ...whole, terms: { ...terms, kind: 'mainframe' } }, 'terms.kind'],
      [{ ...whole, home: Buffer.from('no archive').toString('base64') }, 'home'],
      [{ ...whole, home: gzipSync('x'.repeat(2_000)).toString('base64') }, 'home'],
    ] as const) {
      await expect(sandbox.restore(malformed as never)).rejects.toMatchObject({ code: 'corrupt', detail: { field } });
    }
    expect(sandbox.sessions).toEqual([]);
  }, 20_000);

  it('on a free clock is refused, as are one without pictures and a home that is too large', async () => {
    const free = await sandbox.lease({ ...terms, clock: 'free' });
    await expect(free.checkpoint()).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'clock' } });
    await free.release();
    const unseen = await sandbox.lease({ ...terms, pictures: false });
    expect((await unseen.screen.observe()).png).toHaveLength(0);
    await expect(unseen.checkpoint()).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'pictures' } });
    await unseen.release();
    const stepped = await sandbox.lease(terms);
    await stepped.shell.run('head -c 200000 /dev/urandom > noise');
    const large = stepped.checkpoint({ maxBytes: 100_000 });
    await expect(large).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'maxBytes' } });
    expect(stepped.state).toBe('leased');
    await stepped.release();
  });
});

describe.skipIf(missingForDesktop().length > 0)('a desktop', () => {
  it('is restored with its files, links and modes, and without its programs', async () => {
    const session = await sandbox.lease({ kind: 'desktop', size: { width: 320, height: 240 } });
    await session.desktop.launch('xterm');
    await session.desktop.waitForWindow(() => true);
    await session.shell.run(`mkdir -p .config/app 'a b' && echo x > .config/app/rc && chmod 640 .config/app/rc &&
      ln -s /etc/passwd out && ln .config/app/rc hard && mkfifo pipe && truncate -s 1T large && printf ü > 'a b/ü'`);
    const again = await sandbox.restore(stored(await session.checkpoint()));
    const look =
      'stat -c "%n %a %s %h %F" .config/app/rc hard pipe "a b/ü"; readlink out; id -u; ls -A | grep -v desktop-';
    expect((await again.shell.run(look)).stdout).toBe((await session.shell.run(look)).stdout);
    expect(await again.desktop?.windows()).toEqual([]);
    expect((await again.screen.observe()).size).toEqual({ width: 320, height: 240 });
    await again.desktop?.launch('xterm');
    await again.desktop?.waitForWindow(() => true);
    await Promise.all([session.release(), again.release()]);
  }, 20_000);
});

it('is made and restored over HTTP, within the quotas of the token', async () => {
  const [mine, theirs] = [AccessTokens.random(), AccessTokens.random()];
  const tokens = [mine, theirs].map((token) => ({ token, scope: 'operate' as const }));
  const server = await serveSandbox({ sandbox, tokens, maxPerToken: 2 });
  const client = new SandboxClient({ url: server.url, token: mine });
  const session = await client.lease(terms);
  await session.browser.open(page);
  await session.screen.act(press);
  const { hash } = await session.screen.observe();
  const checkpoint = await session.checkpoint();
  const again = await client.restore(checkpoint, { ttlMs: 60_000 });
  expect((await again.screen.observe()).hash).toBe(hash);
  await expect(client.restore(checkpoint)).rejects.toMatchObject({ code: 'infra', detail: { field: 'perOwner' } });
  const stranger = await fetch(`${server.url}/v1/sessions/${session.id}/checkpoint`, {
    method: 'POST',
    headers: { authorization: `Bearer ${theirs}` },
  });
  expect(stranger.status).toBe(404);
  const forged = { ...checkpoint, terms: { ...checkpoint.terms, env: { LD_PRELOAD: 'x' } } };
  await again.release();
  await expect(client.restore(forged as never)).rejects.toMatchObject({ code: 'corrupt' });
  await server.close();
}, 20_000);
