import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingForDesktop } from '../desktop/requirement.js';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { Sandbox } from './sandbox.js';
import type { SandboxSession } from './sandboxSession.js';

const isolation = await probeIsolation();
const isolated = isolation.kind !== 'none';
const noDesktop = missingForDesktop().length > 0;
const size = { width: 320, height: 240 };

function browsers(): number[] {
  const table = execFileSync('ps', ['--ppid', String(process.pid), '-o', 'pid=,args='])
    .toString()
    .split('\n');
  return table.filter((row) => row.includes('gyre-browser')).map((row) => Number(row.trim().split(' ')[0]));
}

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
});
afterAll(() => sandbox.close());

describe('a browser session', () => {
  let session: SandboxSession;
  beforeAll(async () => {
    session = await sandbox.lease({ kind: 'browser', clock: 'free', size });
  });
  afterAll(() => session.release());

  it('shows a page of a server that was started in its shell', async () => {
    if (!isolated) return;
    await session.files.write('site/index.html', '<title>from the shell</title><body>hello', { folders: true });
    const server = await session.shell.start('cd site && exec python3 -m http.server 8123 --bind 127.0.0.1');
    await expect
      .poll(
        async () => {
          await session.browser?.navigate('http://127.0.0.1:8123/');
          return session.browser?.evaluate('document.title');
        },
        { timeout: 8_000 },
      )
      .toBe('from the shell');
    await server.kill();
  });

  it('has in its shell what was downloaded in its browser, at once', async () => {
    await session.browser?.open({
      html: '<a download="note.txt" href="data:text/plain,written in the page" style="position:absolute;inset:0">save</a>',
      seed: 1,
    });
    await session.screen.act({ type: 'click', point: { x: 0.5, y: 0.5 } });
    const read = async () => (await session.shell.run('cat Downloads/note.txt')).stdout;
    await expect.poll(read, { timeout: 5_000 }).toBe('written in the page');
    expect(await session.files.read('Downloads/note.txt')).toMatchObject({ text: 'written in the page' });
  });

  it('observes and acts like any other', async () => {
    await session.browser?.open({ html: '<input autofocus>', seed: 1 });
    const before = await session.screen.observe();
    await session.screen.act({ type: 'type', text: 'abc' });
    expect((await session.screen.observe()).hash).not.toBe(before.hash);
    expect(session.state).toBe('leased');
  });
});

describe.skipIf(noDesktop)('a desktop session', () => {
  it('opens what its shell has written, and has in its shell what was typed into it', async () => {
    const session = await sandbox.lease({ kind: 'desktop', size: { width: 640, height: 480 } });
    await session.desktop.launch('xterm', ['-e', 'cat > typed.txt']);
    await session.desktop.waitForWindow(({ program }) => /xterm/i.test(program));
    await session.screen.act({ type: 'click', point: { x: 0.3, y: 0.3 } });
    await session.screen.act({ type: 'type', text: 'hello\n' });
    await expect
      .poll(async () => (await session.shell.run('cat typed.txt')).stdout, { timeout: 5_000 })
      .toBe('hello\n');
    await session.release();
    expect(sandbox.sessions.map(({ id }) => id)).not.toContain(session.id);
  });
});

describe('a lease', () => {
  it.concurrent('ends when nothing is used, with everything that it started', async () => {
    const session = await sandbox.lease({ kind: 'browser', size, ttlMs: 2_000 });
    const job = await session.shell.start('sleep 1000');
    expect(job.state).toBe('running');
    const reason = await session.broken;
    expect(reason).toMatchObject({ code: 'infra', detail: { field: 'ttlMs' } });
    expect(session.state).toBe('broken');
    expect(() => session.shell.run('true')).toThrow(reason);
    await session.release();
    expect(job.state).not.toBe('running');
  });

  it.concurrent('holds while any surface is used', async () => {
    const session = await sandbox.lease({ kind: 'browser', size, ttlMs: 2_000 });
    for (const use of [
      () => session.files.list('.'),
      () => session.shell.run('true'),
      () => session.screen.observe(),
      () => Promise.resolve(session.renew()),
    ]) {
      await pause(700);
      await use();
    }
    expect(session.state).toBe('leased');
    await session.release();
  });

  // Without isolation, the name could match another process.
  it.skipIf(!isolated)('of a dead browser ends as infra, and no other does', async () => {
    const good = await sandbox.lease({ kind: 'browser', size });
    const others = browsers();
    const bad = await sandbox.lease({ kind: 'browser', size });
    await bad.shell.run('pkill -9 -f chromium || pkill -9 -f headless');
    if (bad.apart) {
      await bad.screen.observe();
      for (const pid of browsers().filter((each) => !others.includes(each))) process.kill(pid, 'SIGKILL');
    }
    expect(await bad.broken).toMatchObject({ code: 'infra' });
    expect((await good.shell.run('echo well')).stdout).toBe('well\n');
    await good.screen.observe();
    await Promise.all([bad.release(), good.release()]);
  });
});

it('leases no more than its quotas allow; releases and failures serve waiting leases', async () => {
  const bounded = await Sandbox.start({ ...(isolated ? {} : { isolation: 'none' }), quotas: { sessions: 1 } });
  const broken = bounded.lease({ kind: 'browser', size: { width: -1, height: 1 } });
  await expect(broken).rejects.toThrow();
  const first = await bounded.lease({ kind: 'browser', size });
  await expect(bounded.lease({ kind: 'desktop' })).rejects.toMatchObject({ code: 'infra', limit: 'sessions' });
  const second = bounded.lease({ kind: 'browser', size, waitMs: 8_000 });
  await first.release();
  expect((await second).state).toBe('leased');
  const third = expect(bounded.lease({ kind: 'browser', size, waitMs: 8_000 })).rejects.toMatchObject({
    code: 'infra',
  });
  await bounded.close();
  await third;
});

it('leaves nothing of a lease that was in progress when it was closed', async () => {
  const closing = await Sandbox.start(isolated ? {} : { isolation: 'none' });
  const leasing = closing.lease({ kind: 'browser', size });
  await closing.close();
  await expect(leasing).rejects.toMatchObject({ code: 'infra' });
  expect(closing.sessions).toEqual([]);
});

it.each([
  [{ kind: 'mainframe' }, 'kind'],
  [{ kind: 'browser', ttlMs: 0 }, 'ttlMs'],
  [{ kind: 'browser', limits: { memoryBytes: -1 } }, 'limits.memoryBytes'],
])('refuses a lease of %o, naming %s', async (terms, field) => {
  await expect(sandbox.lease(terms as never)).rejects.toMatchObject({ code: 'bad_input', detail: { field } });
});
