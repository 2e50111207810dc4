import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEnclosure } from './createEnclosure.js';
import type { Enclosure } from './enclosure.js';
import { forward } from './forward.js';
import { builders, rooted } from './builders.test.support.js';
import { run, shell } from './within.test.support.js';

for (const { kind, isolation, label } of builders)
  describe.skipIf(isolation.kind === 'none')(`isolation ${label}`, () => {
    let first: Enclosure;
    let second: Enclosure;
    let secrets: string;
    beforeAll(async () => {
      secrets = mkdtempSync(join(tmpdir(), 'gyre-test-'));
      writeFileSync(join(secrets, 'secret'), 'of the host');
      [first, second] = await Promise.all([
        createEnclosure({ isolation: kind, env: { COLOUR: 'grey \'n\' "black"\n$HOME' } }),
        createEnclosure({ isolation: kind, readable: [secrets] }),
      ]);
    });
    afterAll(async () => {
      await Promise.all([first.close(), second.close()]);
      rmSync(secrets, { recursive: true });
    });

    it('runs programs as an ordinary user who cannot gain capabilities', async () => {
      expect(await shell(first, 'id -un; id -u; id -G; hostname; pwd')).toBe('agent\n1000\n1000\ngyre\n/home/agent');
      const status = await shell(first, 'cat /proc/self/status');
      for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) expect(status).toMatch(new RegExp(`${set}:\\s0+\\n`));
      expect(status).toMatch(/NoNewPrivs:\s1/);
      expect(await shell(first, 'unshare --user true || unshare --net true || echo no')).toBe('no');
      expect(await shell(first, 'mount -t tmpfs none /tmp || echo no')).toBe('no');
      expect(await shell(first, 'su -c id 2>&1 </dev/null || echo no')).toMatch(/no$/);
      const others = await shell(first, 'grep -vw nosuid /proc/self/mounts | cut -d " " -f 2 | grep -v ^/proc');
      expect(others).toBe(kind === 'podman' ? '/' : '');
    });

    it.skipIf(isolation.kind === 'none' || !isolation.filtered)('filters system calls', async () => {
      const script = `import ctypes, socket
libc = ctypes.CDLL(None, use_errno=True)
def socket_(family):
  try: socket.socket(family, socket.SOCK_STREAM).close(); return 0
  except OSError as error: return error.errno
print([socket_(f) for f in (1, 2, 10, 38, 40)])
names = ['add_key', 'keyctl', 'bpf', 'perf_event_open', 'io_uring_setup']
numbers = {'x86_64': [248, 250, 321, 298, 425], 'aarch64': [217, 219, 280, 241, 425]}[__import__('os').uname().machine]
for number in numbers:
  ctypes.set_errno(0)
  print(libc.syscall(number, 0, 0, 0, 0, 0), ctypes.get_errno())
print(libc.ioctl(0, 0x5412, b'x'), ctypes.get_errno())`;
      const { stdout } = await run(first, 'python3', ['-c', script]);
      expect(stdout).toBe(`[0, 0, 0, 97, 97]\n${'-1 1\n'.repeat(4)}-1 38\n-1 1\n`);
      // Another process of the session could drive it.
      expect(await shell(first, 'grep -c "Seccomp:.*2" /proc/1/status')).toBe('1');
    });

    it('hides processes of the host and of other sessions, which cannot be signalled or traced', async () => {
      const count = Number(await shell(second, 'ls -d /proc/[0-9]* | wc -l'));
      expect(count).toBeLessThan(8);
      expect(await shell(first, `kill -0 ${process.pid} || echo no; ls /proc/${process.pid} || echo no`)).toBe(
        'no\nno',
      );
      expect(await shell(first, 'tr "\\0" " " < /proc/1/environ')).not.toContain(userInfo().homedir);
      expect(await shell(first, 'ls /proc/1/root/etc || echo no')).not.toMatch(/shadow/);
      expect(await shell(first, 'ls /proc/self/fd')).toBe('0\n1\n2\n3');
    });

    it('shows the system read-only, and no files of other users', async () => {
      const absent = [
        '/root',
        '/etc/shadow',
        '/etc/ssh',
        '/var/lib/dpkg',
        '/sys',
        '/boot',
        '/mnt',
        '/home/agent/../root',
        secrets,
      ];
      for (const path of absent) expect(await shell(first, `ls ${path} 2>/dev/null || echo no`), path).toBe('no');
      expect(await shell(first, 'ls -A /tmp /home /run/user')).not.toContain('gyre');
      const closed = [
        '/x',
        '/usr/x',
        '/etc/x',
        '/dev/x',
        '/run/x',
        '/home/x',
        '/proc/sys/kernel/core_pattern',
        '/proc/sysrq-trigger',
        '/bin/sh',
      ];
      for (const path of closed)
        expect(await shell(first, `(echo x >> ${path}) 2>/dev/null || echo no`), path).toBe('no');
      for (const path of ['/tmp/x', '/home/agent/x', '/dev/shm/x', '/run/user/1000/x']) {
        expect(await shell(first, `(echo x > ${path}) && cat ${path}`), path).toBe('x');
      }
      expect(await shell(first, 'ls /dev')).not.toMatch(/kvm|mem|vda|loop|fuse/);
      expect(await shell(first, 'cut -d " " -f 3 /proc/self/mounts')).not.toMatch(/cgroup|sysfs/);
    });

    it('shows prepared fonts of the host, and nested paths in otherwise empty folders', async () => {
      const deep = mkdtempSync(join(tmpdir(), 'gyre-test-'));
      try {
        mkdirSync(join(deep, 'a/b'), { recursive: true });
        writeFileSync(join(deep, 'a/b/file'), 'deep');
        for (const path of [deep, join(deep, 'a'), join(deep, 'a/b')]) chmodSync(path, 0o755);
        const enclosure = await createEnclosure({ isolation: kind, readable: [join(deep, 'a/b')] });
        for (const as of ['agent', 'system'] as const) {
          expect(await shell(enclosure, `cat ${deep}/a/b/file; ls ${deep}`, { as })).toMatch(/^deep/);
          if (existsSync('/var/cache/fontconfig')) {
            expect((await run(enclosure, 'ls', ['/var/cache/fontconfig'], { as })).code).toBe(0);
          }
        }
        await enclosure.close();
      } finally {
        rmSync(deep, { recursive: true });
      }
    });

    it('shows readable paths to their session only', async () => {
      expect(await shell(second, `cat ${secrets}/secret; (echo x > ${secrets}/secret) 2>/dev/null || echo no`)).toBe(
        userInfo().uid === 0 ? 'no' : 'of the hostno',
      );
    });

    it('uses the name and home of the user from the lease', async () => {
      const enclosure = await createEnclosure({ isolation: kind, user: 'user', pinned: ['Downloads'] });
      expect(enclosure.home).toBe('/home/user');
      expect(await shell(enclosure, 'id -un; echo $HOME $USER $LOGNAME; pwd; ls /home; echo ~user; ls')).toBe(
        'user\n/home/user user user\n/home/user\nuser\n/home/user\nDownloads',
      );
      expect(await shell(enclosure, 'id -un; echo $HOME', { as: 'system' })).toBe('system\n/run/system');
      await enclosure.close();
      for (const user of ['root', 'system', 'nobody', 'User', '../x', 'a b', '']) {
        await expect(createEnclosure({ isolation: kind, user }), user).rejects.toMatchObject({
          code: 'bad_input',
          detail: { field: 'user', fix: expect.stringContaining('lower-case letters') as string },
        });
      }
    });

    it('separates the homes of sessions', async () => {
      await shell(first, 'echo mine > ~/diary');
      expect(await shell(second, 'cat ~/diary 2>/dev/null || echo no')).toBe('no');
      expect(await shell(second, `cat ${first.homeOnHost}/diary 2>/dev/null || echo no`)).toBe('no');
    });

    it('separates a session from the network: its loopback and abstract sockets are its own', async () => {
      const server = createServer((socket) => socket.end('the host')).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as { port: number };
      expect(await shell(first, `exec 2>/dev/null; (exec 3<>/dev/tcp/127.0.0.1/${port}) || echo no`, {})).toBe('no');
      expect(await shell(first, `curl -s --max-time 2 http://127.0.0.1:${port}/ || echo no`)).toBe('no');
      server.close();
      expect(await shell(first, 'tail -n +3 /proc/net/dev | cut -d: -f1')).toBe('lo');
      expect(await shell(first, 'cat /proc/net/unix | grep -c @')).toBe('0');
    });

    it('is shared by all programs of a session: a server answers other programs, and the host by connect', async () => {
      const script = `import socketserver
class H(socketserver.BaseRequestHandler):
  def handle(self): self.request.sendall(b'hello from inside')
socketserver.TCPServer(('127.0.0.1', 8123), H).serve_forever()`;
      const { file, args, env, cwd } = first.command('python3', ['-c', script]);
      const server = spawn(file, args, { env, cwd, stdio: 'ignore' });
      await expect
        .poll(() => shell(first, 'curl -s --http0.9 http://127.0.0.1:8123/'), { timeout: 5_000 })
        .toBe('hello from inside');
      expect(await shell(second, 'curl -s http://127.0.0.1:8123/ || echo no')).toBe('no');
      const read = async (socket: NodeJS.ReadableStream) => {
        let text = '';
        for await (const chunk of socket) text += String(chunk);
        return text;
      };
      expect(await read(await first.connect(8123))).toBe('hello from inside');
      await expect(first.connect(8124)).rejects.toMatchObject({ code: 'infra', detail: { field: 'port' } });
      await expect(first.connect(0)).rejects.toMatchObject({ code: 'bad_input' });
      const path = join(secrets, 'forwarded');
      const forwarded = await forward(first, 8123, { path });
      const { connect } = await import('node:net');
      expect(await read(connect(path))).toBe('hello from inside');
      forwarded.close();
      server.kill('SIGKILL');
      await expect
        .poll(() =>
          first.connect(8123).then(
            (socket) => {
              socket.destroy();
              return 'answers';
            },
            () => 'gone',
          ),
        )
        .toBe('gone');
    });
  });

const running = "ps -eo stat=,comm= | grep -v '^Z' | grep -c sleep";

const programs = [...builders.map((built) => ({ ...built, root: undefined })), ...rooted];
for (const { kind, isolation, label, root } of programs)
  describe.skipIf(isolation.kind === 'none')(`an isolated program ${label}`, () => {
    let enclosure: Enclosure;
    beforeAll(async () => {
      enclosure = await createEnclosure({ isolation: kind, root, env: { COLOUR: 'grey \'n\' "black"\n$HOME' } });
    });
    afterAll(() => enclosure.close());

    it('gets its arguments, its directory and its environment as they are', async () => {
      const odd = ['a b', "it's", '$HOME', '', '--', '-x', 'ä\n'];
      expect((await run(enclosure, 'printf', ['<%s>', ...odd])).stdout).toBe(odd.map((each) => `<${each}>`).join(''));
      expect(
        await shell(enclosure, 'pwd; printf %s "$COLOUR$NAME"', { cwd: '/usr/lib', env: { NAME: '; exit 9' } }),
      ).toBe('/usr/lib\ngrey \'n\' "black"\n$HOME; exit 9');
      expect(() => enclosure.command('true', [], { env: { 'X; id': '' } })).toThrow(
        expect.objectContaining({ code: 'bad_input' }),
      );
      expect(() => enclosure.command('true', [], { env: { X: 'x'.repeat(200_000) } })).toThrow(
        expect.objectContaining({ code: 'bad_input' }),
      );
    });

    it('has an environment that does not affect the programs that enter the namespaces', async () => {
      const { env } = enclosure.command('true', [], {
        env: { LD_PRELOAD: '/home/agent/evil.so', BASH_ENV: '/home/agent/evil' },
      });
      expect(Object.keys(env).sort()).toEqual(['GYRE_ENV', 'LC_ALL', 'PATH']);
    });

    it('ends with its own status, or by the signal that ended it', async () => {
      expect(await run(enclosure, 'sh', ['-c', 'exit 7'])).toMatchObject({ code: 7, signal: null });
      expect(await run(enclosure, 'sh', ['-c', 'kill -9 $$'])).toMatchObject({ code: null, signal: 'SIGKILL' });
      expect(await run(enclosure, 'no-such-program')).toMatchObject({ code: 127 });
      expect((await run(enclosure, 'true', [], { cwd: '/nowhere' })).code).not.toBe(0);
    });

    it('is killed with what was started on the host', async () => {
      const { file, args, env, cwd } = enclosure.command('sleep', ['1000']);
      const child = spawn(file, args, { env, cwd, stdio: 'ignore' });
      await expect.poll(() => shell(enclosure, running), { timeout: 5_000 }).toBe('1');
      child.kill('SIGKILL');
      await expect.poll(() => shell(enclosure, running)).toBe('0');
    });

    it('gets what a terminal sends, and may go on or end as it likes', async () => {
      const script = 'trap "echo heard; exit 3" INT; echo ready; while :; do sleep 0.05; done';
      const { file, args, env, cwd } = enclosure.command('sh', ['-c', script]);
      const child = spawn(file, args, { env, cwd, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
      await once(child.stdout, 'data');
      process.kill(-child.pid!, 'SIGINT');
      const [[text], [code]] = (await Promise.all([once(child.stdout, 'data'), once(child, 'exit')])) as [
        [Buffer],
        [number],
      ];
      expect([text.toString(), code]).toEqual(['heard\n', 3]);
      const plain = enclosure.command('sleep', ['1000']);
      const sleeper = spawn(plain.file, plain.args, {
        env: plain.env,
        cwd: plain.cwd,
        stdio: 'ignore',
        detached: true,
      });
      await expect.poll(() => shell(enclosure, running), { timeout: 5_000 }).toBe('1');
      process.kill(-sleeper.pid!, 'SIGINT');
      expect(await once(sleeper, 'exit')).not.toEqual([0, null]);
    });

    it('has a terminal with job control when it is given one', async () => {
      const { file, args, env, cwd } = enclosure.command('bash', ['--norc', '-i'], {
        env: { PS1: '> ', TERM: 'dumb' },
      });
      const quoted = [file, ...args].map((each) => `'${each.replaceAll("'", `'\\''`)}'`).join(' ');
      const child = spawn('script', ['-qec', `exec ${quoted}`, '/dev/null'], {
        env: { ...env, SHELL: '/bin/sh' },
        cwd,
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
      child.stdin.write('sleep 100\n');
      await expect.poll(() => shell(enclosure, running), { timeout: 5_000 }).toBe('1');
      child.stdin.write('\u001a');
      await expect.poll(() => text, { timeout: 5_000 }).toContain('Stopped');
      // With stopped jobs, the first exit is refused.
      child.stdin.write('echo $((6 * 7))\nexit 5\nexit 5\n');
      const [code] = (await once(child, 'close')) as [number];
      expect(text).toContain('42');
      expect(code).toBe(5);
    });

    it('cannot control the terminal of its parent', async () => {
      const terminal = (command: readonly string[]) => {
        const quoted = command.map((each) => `'${each.replaceAll("'", `'\\''`)}'`).join(' ');
        const script = `${quoted} </dev/null; exit`;
        return spawnSync('script', ['-qec', script, '/dev/null'], {
          encoding: 'utf8',
          env: { ...env, SHELL: '/bin/sh' },
        }).stdout;
      };
      const test = '(: < /dev/tty) 2>/dev/null && echo within reach || echo out of reach';
      const { file, args, env } = enclosure.command('sh', ['-c', test]);
      expect(terminal(['sh', '-c', test])).toContain('within reach');
      expect(terminal([file, ...args])).toContain('out of reach');
    });

    it('cannot end the first process of its session, whatever it kills', async () => {
      await run(enclosure, 'sh', ['-c', 'kill -9 1; kill -9 -1; kill -STOP 1']);
      expect(await shell(enclosure, 'echo still here')).toBe('still here');
    });

    it('leaves its orphans to the first process, which takes them in', async () => {
      await shell(enclosure, '(sleep 0.05 &) ; (sleep 0.05 &)');
      await expect.poll(() => shell(enclosure, "ps -eo stat=,ppid= | grep -c '^Z.* 1$'")).toBe('0');
    });
  });
