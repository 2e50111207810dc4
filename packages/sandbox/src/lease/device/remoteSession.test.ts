import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AioDouble } from '../../foreign/double/aioDouble.js';
import { CuaDouble } from '../../foreign/double/cuaDouble.js';
import { startHost, type Host } from '../../foreign/double/host.js';
import { OsworldDouble } from '../../foreign/double/osworldDouble.js';
import { hasPython, PythonDouble } from '../../foreign/double/pyautoguiDouble.js';
import type { RemoteProtocol } from '../../foreign/driven/remote.js';
import { Sandbox, type RemoteLease, type SandboxLease } from '../sandbox.js';

const python = new PythonDouble();
afterAll(() => python.close());

const doubles = {
  osworld: () => new OsworldDouble(python),
  aio: () => new AioDouble(),
  cua: () => new CuaDouble(),
};

const error = (code: string, field: string) =>
  expect.objectContaining({ code, detail: expect.objectContaining({ field, fix: expect.any(String) }) });

const point = { x: 0.25, y: 0.5 };

let sandbox: Sandbox;
const hosts: Host[] = [];

beforeEach(async () => {
  sandbox = await Sandbox.start();
});
afterEach(async () => {
  await sandbox.close();
  for (const one of hosts.splice(0)) await one.close();
});

async function started(protocol: RemoteProtocol = 'aio') {
  const double = doubles[protocol]();
  const server = await startHost(double.handler);
  hosts.push(server);
  const terms: RemoteLease = { kind: 'remote', protocol, url: server.url, settle: false };
  return { double, server, terms };
}

describe.skipIf(!hasPython).each(['osworld', 'aio', 'cua'] as const)(
  'a session of a remote machine by %s',
  (protocol) => {
    it('has its screen, its shell and its files', async () => {
      const { double, terms } = await started(protocol);
      const session = await sandbox.lease(terms);
      const before = await session.screen.observe();
      expect(before.size).toEqual({ width: 64, height: 48 });
      await session.screen.act({ type: 'type', text: 'secret' });
      expect(double.screen.text).toBe('secret');
      await session.screen.act({ type: 'click', point });
      expect((await session.frames().next()).value?.hash).not.toBe(before.hash);
      const ran = await session.shell.run('echo 12345; exit 3', { maxOutput: 2 });
      expect(ran).toMatchObject({ exitCode: 3, truncated: true, leftOut: { stdout: 4, stderr: 0 } });
      await session.files.write('/home/user/a.txt', 'hello');
      expect(Buffer.from(await session.files.readBytes('/home/user/a.txt')).toString()).toBe('hello');
      const type = protocol === 'cua' ? 'unknown' : 'file';
      expect((await session.files.list('/home/user')).entries).toEqual([{ path: '/home/user/a.txt', type }]);
      const logged = JSON.stringify(session.logs());
      expect(logged).toContain('shell.run');
      expect(logged).not.toContain('secret');
      expect(session.remote.protocol).toBe(protocol);
      await session.release();
      expect(() => session.screen.observe()).toThrow(expect.objectContaining({ code: 'infra' }));
    });
  },
);

describe('a session of a remote machine', () => {
  it('is leased to one at a time, however its address is written, and given back', async () => {
    const { server, terms, double } = await started();
    const session = await sandbox.lease(terms);
    await session.screen.act({ type: 'mouse_down', point });
    const same = { ...terms, url: `${server.url.replace('http', 'HTTP')}//` };
    await expect(sandbox.lease(same)).rejects.toEqual(error('infra', 'url'));
    const next = sandbox.lease({ ...terms, waitMs: 30_000 });
    await session.release();
    expect(double.screen.events.at(-1)).toBe('up left');
    await (await next).screen.observe();
  });

  it('ends alone when its machine goes away within an action', async () => {
    const [first, second] = [await started(), await started()];
    const [session, beside] = [await sandbox.lease(first.terms), await sandbox.lease(second.terms)];
    first.server.injectFault = () => 'hang';
    const acting = session.screen.act({ type: 'click', point });
    const failed = expect(acting).rejects.toEqual(expect.objectContaining({ code: 'infra' }));
    await expect.poll(() => first.server.requests.at(-1)).toMatch(/actions/);
    await first.server.close();
    await failed;
    expect(await session.broken).toEqual(error('infra', 'url'));
    await session.ended;
    await beside.screen.act({ type: 'click', point });
    expect(beside.state).toBe('leased');
    expect(sandbox.sessions).toEqual([beside]);
  });

  it('is given back at once, also within a wait', async () => {
    const { terms } = await started();
    const session = await sandbox.lease(terms);
    const waiting = expect(session.screen.act({ type: 'wait', seconds: 60 })).rejects.toEqual(
      expect.objectContaining({ code: 'infra' }),
    );
    await session.release();
    await waiting;
    expect((await sandbox.lease(terms)).state).toBe('leased');
  });

  it('continues after one failure of its machine', async () => {
    const { server, terms } = await started();
    const session = await sandbox.lease(terms);
    server.injectFault = ({ path }) => (path.includes('actions') ? 'drop' : undefined);
    await expect(session.screen.act({ type: 'click', point })).rejects.toEqual(
      expect.objectContaining({ code: 'infra' }),
    );
    server.injectFault = () => undefined;
    await session.screen.act({ type: 'click', point });
    expect(session.state).toBe('leased');
  });

  it('refuses unsupported requests', async () => {
    const { terms, server } = await started();
    const strange = (more: object) => ({ ...terms, ...more }) as unknown as SandboxLease;
    await expect(sandbox.lease(strange({ protocol: 'vnc' }))).rejects.toEqual(error('bad_input', 'protocol'));
    await expect(sandbox.lease(strange({ url: undefined }))).rejects.toEqual(error('bad_input', 'url'));
    await expect(sandbox.lease(strange({ url: 'file:///etc/passwd' }))).rejects.toEqual(error('bad_input', 'url'));
    await expect(sandbox.lease(strange({ limits: { cpus: 1 } }))).rejects.toEqual(error('bad_input', 'limits'));
    await expect(sandbox.lease(strange({ token: 'a\nb' }))).rejects.toEqual(error('bad_input', 'token'));
    await server.close();
    await expect(sandbox.lease(terms)).rejects.toEqual(error('infra', 'url'));
    expect(sandbox.sessions).toEqual([]);
  });
});
