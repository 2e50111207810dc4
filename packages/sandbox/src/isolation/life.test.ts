import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builders, type Built } from './builders.test.support.js';
import { createEnclosure } from './createEnclosure.js';
import { readProcessIdentity, isAlive } from './processIdentity.js';
import { collectOrphans } from './sessionDirectory.js';
import { IsolatedEnclosure } from './isolatedEnclosure.js';
import type { IsolationOptions } from './isolationOptions.js';
import { baseDirectory, run, shell } from './within.test.support.js';

let directory: string;
beforeEach(() => {
  directory = baseDirectory();
});
afterEach(() => rmSync(dirname(directory), { recursive: true }));

function traces(base: string, pid: number) {
  return {
    directories: existsSync(base) ? readdirSync(base) : [],
    mounts: readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .filter((line) => line.includes(base)),
    groups: spawnSync('find', ['/sys/fs/cgroup', '-maxdepth', '6', '-type', 'd', '-name', `gyre-${pid}-*`], {
      encoding: 'utf8',
    }).stdout.trim(),
    containers: spawnSync('sh', ['-c', `podman ps --all --quiet --filter 'name=^gyre-${pid}-'`], {
      encoding: 'utf8',
    }).stdout.trim(),
  };
}
const nothing = { directories: [], mounts: [], groups: '', containers: '' };

const exists = (pid: number) => readProcessIdentity(pid) !== null;

function which(program: string): string {
  return spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).stdout.trim();
}

async function owner(
  isolation: Built['kind'],
): Promise<{ child: ReturnType<typeof spawn>; first: number; program: number }> {
  const module = join(fileURLToPath(import.meta.url), '..', 'createEnclosure.js');
  const mark = `43${process.pid}`;
  const script = `import { createEnclosure } from ${JSON.stringify(module)};
    import { spawn } from 'node:child_process';
    const enclosure = await createEnclosure(${JSON.stringify({ directory, isolation })});
    const { file, args, env, cwd } = enclosure.command('sh', ['-c', 'setsid sleep ${mark} & echo $(cat /proc/self/status | grep NSpid); sleep 1000']);
    const child = spawn(file, args, { env, cwd, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    child.stdout.once('data', () => console.log(JSON.stringify({ program: child.pid })));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  const { program } = JSON.parse(text.toString()) as { program: number };
  const find = () => Number(spawnSync('pgrep', ['-f', `^sleep ${mark}`], { encoding: 'utf8' }).stdout);
  await expect
    .poll(find, { timeout: 5_000 })
    .toBeGreaterThan(0)
    .catch((error: unknown) => {
      child.kill('SIGKILL');
      throw error;
    });
  const first = find();
  return { child, first, program };
}

for (const { kind, builder, isolation, label } of builders)
  describe.skipIf(isolation.kind === 'none')(`the end of an enclosure ${label}`, () => {
    const create = (options: IsolationOptions) => IsolatedEnclosure.create(options, builder);

    it('by close leaves nothing behind', async () => {
      const enclosure = await create({ directory });
      let ended = false;
      void enclosure.ended.then(() => (ended = true));
      const running = run(enclosure, 'sh', [
        '-c',
        'setsid sleep 1000 & trap "" TERM INT HUP; echo x > ~/file; sleep 1000',
      ]);
      await expect.poll(() => shell(enclosure, 'pgrep -c -x sleep'), { timeout: 5_000 }).toBe('2');
      expect(ended).toBe(false);
      await Promise.all([enclosure.close(), enclosure.close()]);
      await enclosure.close();
      expect(await running).toMatchObject({ signal: 'SIGKILL' });
      expect(ended).toBe(true);
      expect(traces(directory, process.pid)).toEqual(nothing);
      expect(() => enclosure.command('true')).toThrow(expect.objectContaining({ code: 'infra' }));
      await expect(enclosure.connect(80)).rejects.toMatchObject({ code: 'infra' });
    });

    it('of many at once leaves no file open and no process', async () => {
      const files = () => readdirSync('/proc/self/fd').length;
      const childrenOf = (pid: number) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
      const processes = () => [childrenOf(process.pid), childrenOf(Number(childrenOf(process.pid)))];
      const cycle = async () => {
        const enclosure = await create({ directory, network: { allow: ['example.org'] } });
        expect(await shell(enclosure, 'echo $http_proxy')).toBe('http://127.0.0.1:3128');
        (await enclosure.connect(3128)).destroy();
        await enclosure.close();
      };
      await cycle();
      const before = [files(), expect.stringMatching(/^\d+$/), ''];
      await Promise.all(Array.from({ length: 8 }, cycle));
      await expect.poll(() => [files(), ...processes()], { timeout: 5_000 }).toEqual(before);
      expect(traces(directory, process.pid)).toEqual(nothing);
    });

    it('removes a home that was made hard to remove', async () => {
      const enclosure = await create({ directory });
      await shell(
        enclosure,
        `cd; ln -s /etc/passwd link; ln -s / root; mkdir -p locked/in; chmod 000 locked; n=$(printf %0200d 0);
       for i in $(seq 40); do mkdir $n && cd $n || exit; done`,
      );
      await enclosure.close();
      expect(traces(directory, process.pid)).toEqual(nothing);
      expect(existsSync('/etc/passwd')).toBe(true);
    });

    it('is noticed when its first process is killed from outside', async () => {
      const enclosure = await create({ directory });
      const running = run(enclosure, 'sleep', ['1000']);
      const members = readFileSync(enclosure.group.memberFiles.system[0] ?? '/dev/null', 'utf8')
        .split('\n')
        .filter(Boolean);
      const isFirst = (pid: string) => /^NSpid:.*\s1$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
      const first = Number(members.find(isFirst) ?? 0);
      if (first) process.kill(first, 'SIGKILL');
      else await enclosure.close();
      await enclosure.ended;
      await running;
      expect(() => enclosure.command('true')).toThrow(expect.objectContaining({ code: 'infra' }));
      await enclosure.close();
      expect(traces(directory, process.pid)).toEqual(nothing);
    });

    it('follows SIGKILL of its owner; only orphaned directories are removed', async () => {
      const { child, first, program } = await owner(kind);
      const alive = await create({ directory });
      expect(await collectOrphans(directory)).toBe(0);
      child.kill('SIGKILL');
      await expect.poll(() => [first, program].map(exists), { timeout: 5_000 }).toEqual([false, false]);
      expect(traces(directory, child.pid!).directories).toHaveLength(2);
      await expect.poll(() => collectOrphans(directory), { timeout: 5_000 }).toBe(1);
      expect(traces(directory, child.pid!)).toMatchObject({ directories: [alive.directory.name], groups: '' });
      expect(await shell(alive, 'echo alive')).toBe('alive');
      await alive.close();
      expect(traces(directory, process.pid)).toEqual(nothing);
    });

    it('of a creation that fails leaves nothing', async () => {
      await expect(create({ directory, readable: ['/no/such/path'] })).rejects.toMatchObject({
        code: 'bad_input',
      });
      await expect(create({ directory, network: { allow: ['not a host'] } })).rejects.toMatchObject({
        code: 'bad_input',
      });
      expect(traces(directory, process.pid)).toEqual(nothing);
    });
  });

describe('orphans', () => {
  const mark = (name: string, owner: unknown) => {
    mkdirSync(join(directory, name, 'home'), { recursive: true });
    writeFileSync(join(directory, name, 'owner.json'), JSON.stringify({ owner, groups: [] }));
  };

  it('are detected even if another process reuses the id of their owner', async () => {
    const self = readProcessIdentity(process.pid)!;
    expect(isAlive(self)).toBe(true);
    mark('session-alive', self);
    mark('session-later', { ...self, startTime: '1' });
    mark('session-before-the-reboot', { ...self, boot: 'another' });
    mark('session-gone', { ...self, pid: 2 ** 22 + 1 });
    mkdirSync(join(directory, 'session-just-made'));
    mkdirSync(join(directory, 'session-nobodys'));
    utimesSync(join(directory, 'session-nobodys'), 0, 0);
    mkdirSync(join(directory, 'else'));
    utimesSync(join(directory, 'else'), 0, 0);
    expect(await collectOrphans(directory)).toBe(4);
    expect(readdirSync(directory).sort()).toEqual(['else', 'session-alive', 'session-just-made']);
    expect(await collectOrphans(join(directory, 'nowhere'))).toBe(0);
  });

  it('are not searched in a directory of another user', async () => {
    const real = join(dirname(directory), 'real');
    mkdirSync(real);
    symlinkSync(real, directory);
    await expect(collectOrphans(directory)).rejects.toMatchObject({ code: 'storage' });
    await expect(IsolatedEnclosure.create({ directory })).rejects.toMatchObject({ code: 'storage' });
    chmodSync(real, 0o1777);
    await expect(collectOrphans(real)).rejects.toMatchObject({ code: 'storage' });
    await expect(IsolatedEnclosure.create({ directory: real })).rejects.toMatchObject({ code: 'storage' });
    expect(statSync(real).mode & 0o7777).toBe(0o1777);
  });
});

describe('without bubblewrap', () => {
  it('auto reports what to install, and never falls back to none', async () => {
    const programs = join(dirname(directory), 'programs');
    mkdirSync(programs);
    for (const name of ['setpriv', 'prlimit', 'unshare', 'mount', 'umount', 'sh', 'rm', 'chmod'])
      symlinkSync(which(name), join(programs, name));
    const script = `import { createEnclosure, probeIsolation } from ${JSON.stringify(join(fileURLToPath(import.meta.url), '..', 'createEnclosure.js'))};
      import { hostEnv } from ${JSON.stringify(join(fileURLToPath(import.meta.url), '..', 'hostEnv.js'))};
      hostEnv.PATH = ${JSON.stringify(programs)};
      const directory = ${JSON.stringify(directory)};
      const { kind, reason } = await probeIsolation({ directory });
      const error = await createEnclosure({ directory }).then(() => null, (error) => error);
      console.log(JSON.stringify({ kind, reason, code: error.code, fix: error.detail.fix }));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'none',
      code: 'missing',
      fix: expect.stringMatching(/apt-get install bubblewrap.*isolation: 'none'/) as string,
    });
    expect(traces(directory, -1)).toEqual(nothing);
  });

  it('none isolates nothing but a home, and reports it', async () => {
    const bare = await createEnclosure({ isolation: 'none' });
    expect(bare.holds).toEqual({ memoryBytes: 'none', cpus: 'none', processes: 'none', diskBytes: 'none' });
    expect(await shell(bare, 'pwd')).toBe(bare.homeOnHost);
    await bare.close();
    expect(existsSync(bare.homeOnHost)).toBe(false);
  });
});
