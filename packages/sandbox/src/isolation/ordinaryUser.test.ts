import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isolation } from './within.test.support.js';

/** If run as an ordinary user, all other tests cover this too. */

const nobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups', '--'];
const support = join(fileURLToPath(import.meta.url), '..', 'within.test.support.js');

const reason = ((): string | null => {
  if (isolation.kind === 'none') return isolation.reason;
  if (process.getuid?.() !== 0) return 'the tests run as an ordinary user anyway';
  const node = spawnSync('setpriv', [
    ...nobody,
    process.execPath,
    '-e',
    `require('fs').accessSync(${JSON.stringify(support)})`,
  ]);
  return node.status === 0 ? null : 'an ordinary user cannot read this installation';
})();

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gyre-test-'));
  chmodSync(directory, 0o1777);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function asNobody(script: string): Record<string, unknown> {
  const text = `import { run, shell } from ${JSON.stringify(support)};
    import { IsolatedEnclosure } from ${JSON.stringify(join(support, '..', 'isolatedEnclosure.js'))};
    const directory = ${JSON.stringify(join(directory, 'sessions'))};
    const say = (value) => console.log(JSON.stringify(value));
    ${script}`;
  const { stdout, stderr, status } = spawnSync(
    'setpriv',
    [...nobody, process.execPath, '--input-type=module', '-e', text],
    {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, TMPDIR: directory },
    },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const sessions = () => readdirSync(join(directory, 'sessions'));

describe.skipIf(reason)(`an ordinary user${reason ? ` (left out: ${reason})` : ''}`, () => {
  it('has the same isolation, and learns which limits hold', () => {
    const report = asNobody(`
      const [one, two] = await Promise.all([IsolatedEnclosure.create({ directory }), IsolatedEnclosure.create({ directory })]);
      const status = await shell(one, 'cat /proc/self/status');
      await shell(one, 'echo mine > ~/diary');
      const server = run(one, 'python3', ['-m', 'http.server', '8123', '--bind', '127.0.0.1']);
      let socket;
      while (!socket) socket = await one.connect(8123).catch(() => null);
      socket.destroy();
      await run(one, 'sh', ['-c', 'kill -9 0']);
      say({
        holds: one.holds,
        who: await shell(one, 'id -u; id -g; hostname; pwd'),
        capabilities: /Cap(Prm|Eff|Inh|Amb):\\s0*[1-9a-f]/.test(status),
        noNewPrivileges: /NoNewPrivs:\\s1/.test(status),
        nested: await shell(one, 'unshare --user true || echo no'),
        processes: Number(await shell(one, 'ls -d /proc/[0-9]* | wc -l')),
        host: await shell(one, 'kill -0 ${process.pid} 2>/dev/null || echo no; ls ${directory} 2>/dev/null || echo no'),
        other: await shell(two, 'cat ' + one.homeOnHost + '/diary ~/diary 2>/dev/null || echo no'),
        files: await shell(one, 'ls /proc/self/fd'),
        interfaces: await shell(one, 'tail -n +3 /proc/net/dev | cut -d: -f1'),
        reached: await shell(one, 'curl -s -o /dev/null -w %{http_code} http://127.0.0.1:8123/'),
        apart: await shell(two, 'curl -s http://127.0.0.1:8123/ || echo no'),
        code: (await run(one, 'sh', ['-c', 'exit 7'])).code,
      });
      await Promise.all([one.close(), two.close()]);
      await server;`);
    expect(report).toMatchObject({
      who: '1000\n1000\ngyre\n/home/agent',
      capabilities: false,
      noNewPrivileges: true,
      nested: 'no',
      host: 'no\nno',
      other: 'no',
      files: '0\n1\n2\n3',
      interfaces: 'lo',
      reached: '200',
      apart: 'no',
      code: 7,
      holds: { processes: 'session', diskBytes: 'watched' },
    });
    expect(report.processes).toBeLessThan(8);
    expect(sessions()).toEqual([]);
  });

  it('has a bound on processes and on the data of each', () => {
    const report = asNobody(`
      const bad = await IsolatedEnclosure.create({ directory, limits: { processes: 30, memoryBytes: 2 ** 27 } });
      const good = await IsolatedEnclosure.create({ directory });
      const hog = await run(bad, 'python3', ['-c', 'x = bytearray(2 ** 29)']);
      const forked = await shell(bad, 'for i in $(seq 60); do sleep 1 & done 2>/dev/null; echo unbounded');
      const bomb = run(bad, 'bash', ['-c', 'bomb() { bomb | bomb & }; bomb; sleep 100']);
      await new Promise((done) => setTimeout(done, 300));
      const fine = await shell(good, 'echo fine');
      await bad.close();
      await bomb;
      say({ hog: hog.stderr.trim().split('\\n').at(-1), forked, fine });
      await good.close();`);
    expect(report).toEqual({ hog: 'MemoryError', forked: '', fine: 'fine' });
    expect(sessions()).toEqual([]);
  });

  it('ends a session that fills its disk, and removes a locked home', () => {
    const report = asNobody(`
      const bad = await IsolatedEnclosure.create({ directory, limits: { diskBytes: 4 * 2 ** 20 } });
      await shell(bad, 'cd; mkdir -p a/b; chmod 000 a');
      // At once: a file of that size is nearly as much as the watch lets stand.
      const cut = await shell(bad, 'head -c 6M /dev/zero > ~/file; test $? -ne 0 && stat -c %s ~/file; rm ~/file');
      const filler = run(bad, 'sh', ['-c', 'i=0; while :; do i=$((i+1)); head -c 100k /dev/urandom > ~/f$i; sleep 0.01; done']);
      await bad.ended;
      await filler;
      let why;
      try { bad.command('true'); } catch (error) { why = error.message; }
      await bad.close();
      say({ cut, why });`);
    expect(report).toEqual({
      cut: String(4 * 2 ** 20),
      why: 'the session exceeded its disk limit of 4194304 bytes',
    });
    expect(sessions()).toEqual([]);
  });

  it('has one disk for all places together, shared memory included', () => {
    const report = asNobody(`
      const bad = await IsolatedEnclosure.create({ directory, limits: { diskBytes: 8 * 2 ** 20 } });
      const filler = run(bad, 'sh', ['-c', 'for place in ~ /tmp /dev/shm; do head -c 4M /dev/zero > $place/file; done; sleep 100']);
      await bad.ended;
      await filler;
      await bad.close();
      say({ ended: true });`);
    expect(report).toEqual({ ended: true });
    expect(sessions()).toEqual([]);
  });

  it('leaves no process when killed, and its directories are removed later', async () => {
    const mark = `98${process.pid}`;
    const script = `import { IsolatedEnclosure } from ${JSON.stringify(join(support, '..', 'isolatedEnclosure.js'))};
      import { spawn } from 'node:child_process';
      const enclosure = await IsolatedEnclosure.create({ directory: ${JSON.stringify(join(directory, 'sessions'))} });
      const { file, args, env, cwd } = enclosure.command('sh', ['-c', 'setsid sleep ${mark} & echo x; sleep ${mark}']);
      spawn(file, args, { env, cwd, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
      setInterval(() => {}, 1000);`;
    const child = spawn('setpriv', [...nobody, process.execPath, '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((heard) => child.stdout.once('data', heard));
    const sleepers = () =>
      spawnSync('pgrep', ['-f', `^sleep ${mark}`], { encoding: 'utf8' })
        .stdout.trim()
        .split('\n')
        .filter(Boolean).length;
    await expect
      .poll(sleepers, { timeout: 5_000 })
      .toBe(2)
      .finally(() => child.kill('SIGKILL'));
    await expect.poll(sleepers, { timeout: 5_000 }).toBe(0);
    expect(sessions()).toHaveLength(1);
    const removed = asNobody(`
      const { collectOrphans } = await import(${JSON.stringify(join(support, '..', 'sessionDirectory.js'))});
      say(await collectOrphans(directory));`);
    expect(removed).toBe(1);
    expect(sessions()).toEqual([]);
  });
});
