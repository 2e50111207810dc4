import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { GyreError } from '@gyre/protocol';
import { json, plain, type CompatAnswer } from '../served/request.js';
import { AioDouble } from '../double/aioDouble.js';
import { CuaDouble } from '../double/cuaDouble.js';
import { startHost, type Host } from '../double/host.js';
import { OsworldDouble } from '../double/osworldDouble.js';
import { hasPython, PythonDouble } from '../double/pyautoguiDouble.js';
import { Remote, remoteProtocols, type RemoteProtocol } from './remote.js';

const python = new PythonDouble();
const handlers = {
  osworld: new OsworldDouble(python).handler,
  aio: new AioDouble().handler,
  cua: new CuaDouble().handler,
};
const servers = {} as Record<RemoteProtocol, Host>;
const point = { x: 0.5, y: 0.5 };
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);

beforeAll(async () => {
  process.on('unhandledRejection', note);
  for (const protocol of remoteProtocols) servers[protocol] = await startHost(handlers[protocol]);
});

afterEach(() => {
  for (const server of Object.values(servers)) {
    server.injectFault = () => undefined;
    server.requests.length = 0;
  }
});

afterAll(async () => {
  for (const server of Object.values(servers)) await server.close();
  python.close();
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

function connect(protocol: RemoteProtocol, timeoutMs = 5_000): Promise<Remote> {
  return Remote.connect({ protocol, url: servers[protocol].url, settle: false, timeoutMs });
}

function each(name: string, check: (protocol: RemoteProtocol) => Promise<void>): void {
  it(name, async () => {
    await Promise.all(remoteProtocols.map(check));
  });
}

describe.skipIf(!hasPython)('connecting', () => {
  it('names the protocol that the server speaks', async () => {
    for (const spoken of remoteProtocols) {
      for (const protocol of remoteProtocols.filter((name) => name !== spoken)) {
        const attempt = Remote.connect({ protocol, url: servers[spoken].url });
        const detail = { field: 'protocol', fix: expect.stringContaining(`'${spoken}'`) as string };
        await expect(attempt, `${protocol} at ${spoken}`).rejects.toMatchObject({ code: 'bad_input', detail });
      }
    }
  });

  it('reports a server without a known protocol', async () => {
    const website = await startHost(() => Promise.resolve(plain('<h1>It works!</h1>')));
    for (const protocol of remoteProtocols) {
      const attempt = Remote.connect({ protocol, url: website.url });
      await expect(attempt).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'protocol' } });
    }
    await website.close();
  });

  it('reports a missing server', async () => {
    const gone = await startHost(() => Promise.resolve(plain('')));
    await gone.close();
    await Promise.all(
      remoteProtocols.map((protocol) => {
        const attempt = Remote.connect({ protocol, url: gone.url });
        return expect(attempt).rejects.toMatchObject({ code: 'infra', detail: { field: 'url' } });
      }),
    );
  });

  it('reports a hanging server', async () => {
    for (const protocol of remoteProtocols) {
      servers[protocol].injectFault = () => 'hang';
      await expect(connect(protocol, 200)).rejects.toMatchObject({ code: 'infra', detail: { field: 'timeoutMs' } });
    }
  });

  it('reports a wrong token or a missing container name', async () => {
    const aio = await startHost(new AioDouble({ token: 'right' }).handler);
    const cua = await startHost(new CuaDouble({ token: 'right' }).handler);
    const attempts = [
      { protocol: 'aio', url: aio.url },
      { protocol: 'aio', url: aio.url, token: 'wrong' },
      { protocol: 'cua', url: cua.url, token: 'right' },
      { protocol: 'cua', url: cua.url, token: 'wrong', container: 'box' },
    ] as const;
    for (const options of attempts) {
      const refused = { code: 'bad_input', detail: { field: 'token' } };
      await expect(Remote.connect(options), JSON.stringify(options)).rejects.toMatchObject(refused);
    }
    await (await Remote.connect({ protocol: 'aio', url: aio.url, token: 'right' })).close();
    await (await Remote.connect({ protocol: 'cua', url: cua.url, token: 'right', container: 'box' })).close();
    await aio.close();
    await cua.close();
  });

  it('refuses invalid options', async () => {
    const { url } = servers.osworld;
    const wrong = [
      [{ protocol: 'vnc', url }, 'protocol'],
      [{ protocol: 'toString', url }, 'protocol'],
      [{ protocol: 'osworld', url: 'example' }, 'url'],
      [{ protocol: 'osworld', url: 'file:///etc/passwd' }, 'url'],
      [{ protocol: 'osworld', url, token: 'a\r\nb: c' }, 'token'],
      [{ protocol: 'osworld', url, timeoutMs: Number.NaN }, 'timeoutMs'],
      [{ protocol: 'osworld', url, settle: { gapMs: -1 } }, 'settle.gapMs'],
    ] as const;
    for (const [options, field] of wrong) {
      await expect(Remote.connect(options as never)).rejects.toMatchObject({ code: 'bad_input', detail: { field } });
    }
  });
});

describe.skipIf(!hasPython)('a server that fails', () => {
  const error500 = plain('<h1>Internal Server Error</h1>', 500);

  each('with infra that says what was asked, and the next call finds it well', async (protocol) => {
    const remote = await connect(protocol, 300);
    for (const mishap of ['hang', 'drop', 'cut', error500] as const) {
      servers[protocol].injectFault = () => mishap;
      const failed = { code: 'infra', message: expect.stringContaining(servers[protocol].url) as string };
      await Promise.all([
        expect(remote.observe()).rejects.toMatchObject(failed),
        expect(remote.act({ type: 'click', point })).rejects.toMatchObject(failed),
        expect(remote.readBytes('/x')).rejects.toMatchObject(failed),
        // A hanging server is not a slow command.
        expect(remote.run('true', { timeoutMs: 1 })).rejects.toMatchObject(failed),
      ]);
      servers[protocol].injectFault = () => undefined;
      await remote.observe();
    }
    await remote.close();
  });

  each('once, and a read is tried again while an action is not', async (protocol) => {
    const remote = await connect(protocol);
    for (const mishap of ['drop', error500] as const) {
      let failures = 2;
      servers[protocol].injectFault = () => (failures-- > 0 ? mishap : undefined);
      await remote.observe();
      servers[protocol].requests.length = 0;
      failures = 1;
      await expect(remote.act({ type: 'click', point })).rejects.toMatchObject({ code: 'infra' });
      expect(servers[protocol].requests).toHaveLength(1);
      failures = 1;
      await expect(remote.write('/x', 'x')).rejects.toMatchObject({ code: 'infra' });
      expect(servers[protocol].requests).toHaveLength(2);
    }
    await remote.close();
  });

  each('for good: what was under way and all that comes after is infra', async (protocol) => {
    const server = await startHost(handlers[protocol]);
    const remote = await Remote.connect({ protocol, url: server.url, settle: false });
    server.injectFault = () => 'hang';
    const pending = remote.observe();
    pending.catch(() => {});
    await expect.poll(() => server.requests.at(-1)).toBeDefined();
    await server.close();
    await expect(pending).rejects.toMatchObject({ code: 'infra' });
    await remote.ended;
    await expect(remote.act({ type: 'click', point })).rejects.toMatchObject({ code: 'infra' });
    await expect(remote.list('/')).rejects.toMatchObject({ code: 'infra' });
    await remote.close();
  });

  each('to answer before it is closed, and close does not wait for it', async (protocol) => {
    const remote = await connect(protocol, 60_000);
    servers[protocol].injectFault = () => 'hang';
    const pending = remote.observe();
    pending.catch(() => {});
    await remote.close();
    await expect(pending).rejects.toMatchObject({ code: 'infra' });
  });

  each('by malformed answers, which are infra or bad_input and nothing else', async (protocol) => {
    const remote = await connect(protocol);
    const value = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          success: fc.oneof(fc.boolean(), fc.jsonValue()),
          data: fc.jsonValue(),
          output: fc.jsonValue(),
          returncode: fc.jsonValue(),
          directory_tree: fc.oneof(fc.jsonValue(), fc.record({ children: fc.array(fc.jsonValue()) })),
          files: fc.jsonValue(),
          image_data: fc.string(),
          content_b64: fc.jsonValue(),
          __proto__: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    );
    const answer: fc.Arbitrary<CompatAnswer> = fc.oneof(
      value.map((given) => json(given)),
      value.map((given) => plain(`data: ${JSON.stringify(given)}\n\n`)),
      fc.uint8Array().map((bytes) => ({ status: 200, headers: {}, body: bytes })),
      fc.tuple(fc.integer({ min: 200, max: 499 }), fc.string()).map(([status, text]) => plain(text, status)),
    );
    await fc.assert(
      fc.asyncProperty(answer, async (reply) => {
        const headers = [204, 304].includes(reply.status) ? {} : reply.headers;
        servers[protocol].injectFault = () => ({ ...reply, headers });
        const calls = [
          remote.observe(),
          remote.act({ type: 'hotkey', keys: 'a' }),
          remote.run('true'),
          remote.list('/x'),
          remote.accessibility(),
        ];
        for (const { status, reason } of (await Promise.allSettled(calls)) as { status: string; reason?: unknown }[]) {
          if (status === 'fulfilled') continue;
          expect(reason).toBeInstanceOf(GyreError);
          expect((reason as GyreError).code).toMatch(/^(infra|bad_input)$/);
        }
      }),
      { numRuns: 40 },
    );
    servers[protocol].injectFault = () => plain('\x89PNG');
    await expect(remote.observe()).rejects.toMatchObject({ code: 'infra' });
    await remote.close();
  });
});
