import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BrowserPool, Sandbox } from '../../index.js';

const asRoot = process.getuid?.() === 0 && process.platform === 'linux';
const size = { width: 160, height: 120 };
const page = { html: '<button>ok</button>', seed: 1 };

interface Seen {
  readonly uids: number[];
  readonly noNewPrivs: string;
  readonly seccomp: string;
  readonly capabilities: string;
  readonly command: string[];
}

function processesOf(group: number): Seen[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === group) return [];
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) !== group) return [];
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
      return {
        uids: [...new Set(field('Uid').split('\t').map(Number))],
        noNewPrivs: field('NoNewPrivs'),
        seccomp: field('Seccomp'),
        capabilities: field('CapEff'),
        command: readFileSync(`/proc/${pid}/cmdline`, 'latin1').split(/[\0 ]/),
      };
    } catch {
      return [];
    }
  });
}

describe.runIf(asRoot)('as root, a browser of the host', () => {
  let pool: BrowserPool;
  let groups: number[];
  beforeAll(async () => {
    pool = await BrowserPool.launch({ browsers: 2, sessionsPerBrowser: 1 });
    for (let index = 0; index < 2; index++) await (await pool.lease({ size })).browser.open(page);
    groups = await pool.pids();
  });
  afterAll(() => pool.close());

  test('has a user of its own, who is neither root nor nobody nor that of another browser', () => {
    const users = groups.map((group) => new Set(processesOf(group).flatMap(({ uids }) => uids)));
    for (const user of users) expect(user.size).toBe(1);
    const [first = 0, second = 0] = users.map((user) => [...user][0]);
    expect(first).not.toBe(second);
    for (const uid of [first, second]) expect([0, 65_534]).not.toContain(uid);
  });

  test('has no privileges, can gain none, and is under a seccomp filter in all of its processes', () => {
    for (const process of groups.flatMap(processesOf)) {
      expect(process).toMatchObject({ noNewPrivs: '1', seccomp: '2' });
      expect(process.command).not.toContain('--no-sandbox');
    }
    const pages = groups.flatMap(processesOf).filter(({ command }) => command.includes('--type=renderer'));
    expect(pages.length).toBeGreaterThanOrEqual(2);
    for (const { capabilities } of pages) expect(Number(`0x${capabilities}`)).toBe(0);
  });

  test('keeps its profile private from other users', () => {
    for (const group of groups) {
      const [{ command, uids }] = processesOf(group).filter(({ command }) =>
        command.some((word) => word.startsWith('--user-data-dir=')),
      ) as [Seen];
      const profile = command.find((word) => word.startsWith('--user-data-dir='))!.slice('--user-data-dir='.length);
      const { uid, mode } = statSync(profile);
      expect([uid, mode & 0o777]).toEqual([uids[0], 0o700]);
    }
  });
});

test.runIf(asRoot)('a browser of a session without isolation has its own user, and still downloads', async () => {
  const sandbox = await Sandbox.start({ isolation: 'none' });
  try {
    const session = await sandbox.lease({ kind: 'browser', clock: 'free', size });
    await session.browser.open({
      html: '<a id="a" download="note.txt" href="data:text/plain,hello" style="display:block;width:160px;height:120px">x</a>',
      seed: 1,
    });
    await session.screen.act({ type: 'click', point: { x: 0.5, y: 0.5 } });
    await expect
      .poll(() => readFileSync(join(session.home, 'Downloads', 'note.txt'), 'utf8'), { timeout: 10_000 })
      .toBe('hello');
    const { uid, mode } = statSync(join(session.home, 'Downloads', 'note.txt'));
    expect(uid).not.toBe(0);
    expect(mode & 0o111).toBe(0);
  } finally {
    await sandbox.close();
  }
});

function confinedBy(...lead: string[]): Promise<{ confinement: object; uids: number[]; warned: string }> {
  const index = fileURLToPath(new URL('../../index.js', import.meta.url));
  const script = `import { BrowserPool, hostConfinement, onWeakness } from ${JSON.stringify(index)};
    import { readdirSync, readFileSync } from 'node:fs';
    const warnings = []; onWeakness(({ message }) => warnings.push(message));
    const pool = await BrowserPool.launch({ browsers: 2 });
    const groups = await pool.pids();
    const uids = readdirSync('/proc').filter((pid) => /^\\d+$/.test(pid) && !groups.includes(Number(pid))).flatMap((pid) => {
      try {
        const stat = readFileSync('/proc/' + pid + '/stat', 'latin1');
        if (!groups.includes(Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]))) return [];
        return Number(/^Uid:\\s*(\\d+)/m.exec(readFileSync('/proc/' + pid + '/status', 'utf8'))[1]);
      } catch { return []; }
    });
    await pool.close();
    console.log(JSON.stringify({ confinement: hostConfinement(), uids: [...new Set(uids)], warned: warnings.join('|') }));`;
  const [file, ...args] = [...lead, process.execPath, '--input-type=module', '-e', script];
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.once('close', () => resolve(JSON.parse(output) as never)));
}

describe.runIf(asRoot)('with weaker confinement', () => {
  test('full confinement logs no warning', async () => {
    const { confinement, uids, warned } = await confinedBy();
    expect(confinement).toEqual({ ownUser: true, sandbox: true, filter: true });
    expect(uids).toHaveLength(2);
    expect(warned).toBe('');
  });

  test('without user namespaces, browsers keep their own users and the filter, with one warning', async () => {
    // Linux forbids user namespaces after chroot.
    const root = mkdtempSync(join(tmpdir(), 'gyre-root-'));
    mkdirSync(join(root, 'top'));
    try {
      const mounts = `mount --rbind / ${root}/top && exec chroot ${root}/top "$@"`;
      const { confinement, uids, warned } = await confinedBy(
        ...['unshare', '--mount', '--propagation', 'private', 'sh', '-c', mounts, 'sh'],
      );
      expect(confinement).toEqual({ ownUser: true, sandbox: false, filter: true });
      expect(uids).toHaveLength(2);
      expect(uids).not.toContain(0);
      expect(warned).toMatch(/^browsers run without Chromium's sandbox[^|]*$/);
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  test('without the right to become another user, they run as root, with one warning', async () => {
    const { confinement, uids, warned } = await confinedBy('setpriv', '--bounding-set=-setuid,-setgid');
    expect(confinement).toEqual({ ownUser: false, sandbox: false, filter: false });
    expect(uids).toEqual([0]);
    expect(warned).toMatch(/^browsers run as root without a sandbox[^|]*$/);
  });
});

const moving = `<p style="font:20px serif">a b <b>é</b></p><button>ok</button>
  <style>@keyframes m { from { margin-left: 0 } to { margin-left: 100px } }
  div { animation: m 1s infinite; width: 40px; height: 40px; border-radius: 9px; box-shadow: 0 0 9px }</style><div></div>
  <canvas id="c"></canvas><script>let n = 0; (function draw() {
    const g = c.getContext('2d'); g.fillStyle = 'hsl(' + (n += 7) + ', 80%, 50%)'; g.beginPath();
    g.arc(60 + (n % 90), 50, 30, 0, 7); g.fill(); requestAnimationFrame(draw); })()</script>`;

test.runIf(asRoot)('frames are the same bit for bit, with the sandbox and without', async () => {
  const index = fileURLToPath(new URL('../../index.js', import.meta.url));
  const script = `import { BrowserPool } from ${JSON.stringify(index)};
    const pool = await BrowserPool.launch();
    const session = await pool.lease({ size: { width: 320, height: 240 } });
    await session.browser.open({ html: ${JSON.stringify(moving)}, seed: 1 });
    const hashes = [];
    for (let i = 0; i < 20; i++) {
      await session.screen.act({ type: 'click', point: { x: 0.05 * i, y: 0.3 } });
      hashes.push((await session.screen.observe()).hash);
    }
    await pool.close();
    console.log(JSON.stringify(hashes));`;
  const hashes = (...lead: string[]): string => {
    const [file, ...args] = [...lead, process.execPath, '--input-type=module', '-e', script];
    return execFileSync(file, args, { stdio: ['ignore', 'pipe', 'ignore'] }).toString();
  };
  const confined = hashes();
  expect(hashes('setpriv', '--bounding-set=-setuid,-setgid')).toBe(confined);
  expect(new Set(JSON.parse(confined) as string[]).size).toBeGreaterThan(10);
});
