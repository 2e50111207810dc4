import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BrowserPool, type PoolOptions, type BrowserSession } from '../index.js';

const size = { width: 160, height: 160 };
const button = { html: '<button>ok</button>', seed: 1 };
const click = { type: 'click', point: { x: 0.5, y: 0.5 } } as const;
const pools: BrowserPool[] = [];

async function launch(options: PoolOptions = {}): Promise<BrowserPool> {
  const pool = await BrowserPool.launch(options);
  pools.push(pool);
  return pool;
}
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

function renderers(group: number): number[] {
  const table = execFileSync('ps', ['-eo', 'pgid=,pid=,stat=,args=']).toString().trim().split('\n');
  const rows = table.map((line) => line.trim().split(/\s+/));
  return rows.flatMap(([id, pid, state, ...command]) =>
    Number(id) === group && !state?.startsWith('Z') && command.includes('--type=renderer') ? [Number(pid)] : [],
  );
}

function processes(group: number): number {
  const table = execFileSync('ps', ['-eo', 'pgid=,stat=']).toString().trim().split('\n');
  return table
    .map((line) => line.trim().split(/\s+/))
    .filter(([id, state]) => Number(id) === group && !state?.startsWith('Z')).length;
}
function children(): number[] {
  const table = execFileSync('ps', ['-eo', 'ppid=,pid=,stat=,comm=']).toString().trim().split('\n');
  const rows = table.map((line) => line.trim().split(/\s+/));
  return rows.flatMap(([parent, pid, state, name]) =>
    Number(parent) === process.pid && !state?.startsWith('Z') && name !== 'ps' ? [Number(pid)] : [],
  );
}
const infra = { code: 'infra' };

describe('leases', () => {
  it('wait while all sessions are leased, and are counted', async () => {
    const pool = await launch({ sessionsPerBrowser: 1 });
    const first = await pool.lease({ size });
    expect(pool.stats).toEqual({ leased: 1, launched: 1, crashed: 0 });
    let second: BrowserSession | undefined;
    const waiting = pool.lease({ size }).then((session) => (second = session));
    await new Promise((done) => setTimeout(done, 50));
    expect(second).toBeUndefined();
    await first.release();
    await first.release();
    await waiting;
    expect(first.state).toBe('released');
    await expect(first.screen.observe()).rejects.toMatchObject(infra);
    expect(second?.state).toBe('leased');
  });

  it('show a blank screen, whatever was there before', async () => {
    const pool = await launch({ sessionsPerBrowser: 1 });
    const first = await pool.lease({ size });
    const blank = await first.screen.observe();
    await first.browser.open(button);
    await first.release();
    const second = await pool.lease({ size });
    expect((await second.screen.observe()).hash).toBe(blank.hash);
  });

  it('end when they are not renewed', async () => {
    const pool = await launch({ sessionsPerBrowser: 1 });
    const session = await pool.lease({ size, ttlMs: 1_500 });
    for (let call = 0; call < 3; call++) {
      await new Promise((done) => setTimeout(done, 600));
      await session.screen.observe();
    }
    await expect.poll(() => session.state, { timeout: 10_000 }).toBe('broken');
    await expect(session.screen.act(click)).rejects.toMatchObject({ ...infra, detail: { field: 'ttlMs' } });
    expect(pool.stats.leased).toBe(0);
    const next = await pool.lease({ size });
    await next.browser.open(button);
    expect(next.state).toBe('leased');
  });

  it('hold for 32 sessions of two browsers at once', async () => {
    const pool = await launch({ browsers: 2, sessionsPerBrowser: 16 });
    const sessions = await Promise.all(Array.from({ length: 32 }, () => pool.lease({ size })));
    const hashes = await Promise.all(
      sessions.map(async (session) => {
        await session.browser.open(button);
        for (let step = 0; step < 3; step++) await session.screen.act(click);
        return (await session.screen.observe()).hash;
      }),
    );
    expect(new Set(hashes).size).toBe(1);
  });

  it('refuse options that make no sense', async () => {
    await expect(BrowserPool.launch({ browsers: 0 })).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'browsers' },
    });
    await expect(BrowserPool.launch({ env: { PATH: '/nowhere' } })).rejects.toMatchObject({ code: 'missing' });
    await expect(BrowserPool.launch({ executable: '/bin/false' })).rejects.toMatchObject(infra);
  });
});

describe('failures', () => {
  it('of a killed browser break its sessions at once; the next lease gets another browser', async () => {
    const pool = await launch();
    const [first, second] = await Promise.all([pool.lease({ size }), pool.lease({ size })]);
    await first.browser.open(button);
    const pending = first.screen.act({ type: 'wait', seconds: 60 });
    const [pid] = await pool.pids();
    setTimeout(() => process.kill(-pid!, 'SIGKILL'), 20);
    await expect(pending).rejects.toMatchObject(infra);
    const start = performance.now();
    await expect(second.screen.observe()).rejects.toMatchObject(infra);
    expect(performance.now() - start).toBeLessThan(1_000);
    expect([first.state, second.state]).toEqual(['broken', 'broken']);
    const three = await pool.lease({ size });
    await three.browser.open(button);
    expect(pool.stats).toEqual({ leased: 1, launched: 2, crashed: 1 });
  });

  it('of a shared browser do not reach a session that is alone in its own, which ends with it', async () => {
    const pool = await launch({ browsers: 1 });
    const neighbour = await pool.lease({ size });
    const [shared] = await pool.pids();
    const before = children();
    const lone = await pool.lease({ size, alone: true });
    const [loneBrowser] = children().filter((pid) => !before.includes(pid));
    expect(processes(loneBrowser!)).toBeGreaterThan(0);
    await lone.browser.open(button);
    process.kill(-shared!, 'SIGKILL');
    await expect.poll(() => neighbour.state).toBe('broken');
    await lone.screen.act(click);
    expect(pool.stats).toEqual({ leased: 1, launched: 2, crashed: 1 });
    await lone.release();
    await expect.poll(() => processes(loneBrowser!), { timeout: 5_000 }).toBe(0);
    expect(pool.stats).toEqual({ leased: 0, launched: 2, crashed: 1 });
  });

  it('of a page whose script never ends break that session alone', async () => {
    const pool = await launch({ timeoutMs: 1_000, sessionsPerBrowser: 2 });
    const good = await pool.lease({ size });
    await good.browser.open(button);
    for (const html of [
      '<script>for (;;);</script>',
      '<script>setTimeout(() => { for (;;); }, 10)</script>',
      '<script>onmousedown = () => { for (;;); }</script>',
    ]) {
      const bad = await pool.lease({ size });
      const start = performance.now();
      const stuck = bad.browser.open({ html, seed: 1 }).then(() => bad.screen.act(click));
      await expect(stuck).rejects.toMatchObject(infra);
      expect(performance.now() - start).toBeLessThan(10_000);
      expect(bad.state).toBe('broken');
      await bad.release();
    }
    // No command is answered: one error, no unhandled rejection.
    const late = await pool.lease({ size });
    await late.browser.open(button);
    await late.browser.evaluate(
      '{ const { port1, port2 } = new MessageChannel(); port1.onmessage = () => { for (;;); }; port2.postMessage(0); }',
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    await expect(late.browser.open(button)).rejects.toMatchObject(infra);
    await late.release();
    const [pid] = await pool.pids();
    await expect.poll(() => renderers(pid!).length, { timeout: 5_000 }).toBe(1);
    await good.screen.act(click);
    expect((await good.screen.observe()).png.length).toBeGreaterThan(0);
    expect(good.state).toBe('leased');
    expect(pool.stats).toEqual({ leased: 1, launched: 1, crashed: 0 });
    const again = await pool.lease({ size });
    await again.browser.open(button);
  });
});

describe('a page process that dies', () => {
  it('breaks its session at once and no other', async () => {
    const pool = await launch();
    const [pid] = await pool.pids();
    const bad = await pool.lease({ size });
    await bad.browser.open(button);
    const [renderer] = renderers(pid!);
    const good = await pool.lease({ size });
    await good.browser.open(button);
    process.kill(renderer!, 'SIGKILL');
    await expect.poll(() => bad.state).toBe('broken');
    await expect(bad.screen.act(click)).rejects.toMatchObject(infra);
    await good.screen.act(click);
    expect(good.state).toBe('leased');
    expect(pool.stats).toEqual({ leased: 1, launched: 1, crashed: 0 });
  });
});

describe('the end', () => {
  const tmpdirBefore = process.env.TMPDIR;
  let temporary: string;
  beforeEach(() => {
    temporary = mkdtempSync(join(tmpdir(), 'gyre-test-'));
    // Under root, browsers have their own users.
    chmodSync(temporary, 0o711);
    process.env.TMPDIR = temporary;
  });
  afterEach(() => {
    if (tmpdirBefore === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = tmpdirBefore;
    rmSync(temporary, { recursive: true });
  });
  const files = (): string[] =>
    readdirSync(temporary).flatMap((name) =>
      name.startsWith('gyre-sandbox-') ? readdirSync(join(temporary, name)) : [name],
    );

  it('leaves no process and no file', async () => {
    const pool = await launch({ browsers: 2 });
    await (await pool.lease({ size })).browser.open(button);
    const pids = await pool.pids();
    expect(pids.map(processes).every((count) => count > 1)).toBe(true);
    expect(files()).toHaveLength(2);
    await pool.close();
    await expect.poll(() => pids.map(processes)).toEqual([0, 0]);
    expect(files()).toEqual([]);
    await expect(pool.lease({ size })).rejects.toMatchObject(infra);
  });

  it.each(['SIGINT', 'SIGKILL', 'exit'] as const)('of the process by %s ends its browsers', async (how) => {
    const index = join(fileURLToPath(import.meta.url), '../../index.js');
    const script = `import { BrowserPool } from ${JSON.stringify(index)};
      const pool = await BrowserPool.launch(); await pool.lease({ size: { width: 160, height: 160 } });
      console.log(String(await pool.pids())); ${how === 'exit' ? 'process.stdout.write("", () => process.exit(0))' : ''}`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = await new Promise<number>((heard) =>
      child.stdout.once('data', (text: Buffer) => heard(Number(text.toString()))),
    );
    if (how !== 'exit') child.kill(how);
    await expect.poll(() => processes(pid), { timeout: 10_000 }).toBe(0);
    expect(files()).toEqual([]);
  });
});
