import { once } from 'node:events';
import { createServer as createHttp, request, type IncomingMessage, type Server as HttpServer } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { builders } from './builders.test.support.js';
import { createEnclosure } from './createEnclosure.js';
import type { Enclosure } from './enclosure.js';
import { isOutsideAddress } from './outsideAddress.js';
import { EgressProxy, type EgressOptions } from './egressProxy.js';
import { run, shell } from './within.test.support.js';

let outside: HttpServer;
let port: number;
beforeAll(async () => {
  outside = createHttp((req, res) => {
    if (req.url === '/away') return void res.writeHead(302, { location: `http://127.0.0.1:${port}/secret` }).end();
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString()));
    req.on('end', () =>
      res
        .writeHead(200, { 'x-secret': 'none' })
        .end(JSON.stringify({ ...req.headers, url: req.url, method: req.method, body })),
    );
  }).listen(0, '127.0.0.1');
  await once(outside, 'listening');
  port = (outside.address() as { port: number }).port;
});
afterAll(() => outside.close());

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

async function start(options: EgressOptions): Promise<number> {
  const proxy = new EgressProxy(options);
  const server: Server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: proxyPort } = server.address() as { port: number };
  proxy.serve(server);
  opened.push(
    () => proxy.close(),
    () => server.close(),
  );
  return proxyPort;
}

async function get(
  proxy: number,
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
) {
  const outgoing = request({
    port: proxy,
    host: '127.0.0.1',
    path: url,
    method: options.method ?? 'GET',
    headers: options.headers ?? {},
  });
  outgoing.end(options.body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, headers: response.headers, text };
}

async function tunnel(proxy: number, target: string): Promise<{ line: string; socket: Socket }> {
  const socket = connect(proxy, '127.0.0.1');
  opened.push(() => socket.destroy());
  socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return { line: chunk.toString().split('\r\n')[0] ?? '', socket };
}

const names = async (host: string) => (host === 'two.test' ? ['10.0.0.1', '127.0.0.1'] : ['127.0.0.1']);

describe('the egress proxy', () => {
  it('survives hosts that answer with invalid HTTP', async () => {
    const lines = [
      'HTTP/1.1 099 odd',
      'HTTP/1.1 000 none',
      'HTTP/1.1 999 far',
      'HTTP/1.1 101 over',
      'nonsense',
      '',
      '\0',
    ];
    const answers = [
      ...lines.map((line) => `${line}\r\ncontent-length: 0\r\n\r\n`),
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n',
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
      'HTTP/1.1 200 \u0080\r\n\u0080: \u0001\r\n\r\n',
    ];
    const hostile = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (received) => {
        const which = Number(/GET \/(\d+)/.exec(received.toString())?.[1]);
        socket.end(Buffer.from(answers[which]!, 'latin1'));
      });
    }).listen(0, '127.0.0.1');
    await once(hostile, 'listening');
    opened.push(() => hostile.close());
    const { port: hostilePort } = hostile.address() as { port: number };
    const proxy = await start({ allow: [`one.test:${hostilePort}`], innerAddresses: ['127.0.0.1'], resolve: names });
    for (const [which] of answers.entries()) {
      await get(proxy, `http://one.test:${hostilePort}/${which}`).catch(() => undefined);
    }
    const right = answers.push('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok') - 1;
    expect(await get(proxy, `http://one.test:${hostilePort}/${right}`)).toMatchObject({ status: 200, text: 'ok' });
  });

  it('takes requests and tunnels to hosts of the list, and to their ports', async () => {
    const proxy = await start({
      allow: [`ok.test:${port}`, `*.wide.test:${port}`, 'web.test'],
      innerAddresses: ['127.0.0.1'],
      resolve: names,
    });
    const answer = await get(proxy, `http://ok.test:${port}/a?b=c`, {
      method: 'POST',
      headers: { 'proxy-authorization': 'x', connection: 'x-hop', 'x-hop': '1', 'x-kept': '2', host: 'else.test' },
      body: 'content',
    });
    const heard = JSON.parse(answer.text) as Record<string, string>;
    expect(heard).toMatchObject({
      url: '/a?b=c',
      method: 'POST',
      body: 'content',
      host: `ok.test:${port}`,
      'x-kept': '2',
    });
    expect(heard).not.toHaveProperty('proxy-authorization');
    expect(heard).not.toHaveProperty('x-hop');
    expect((await get(proxy, `http://a.b.WIDE.test.:${port}/`)).status).toBe(200);
    const { line, socket } = await tunnel(proxy, `ok.test:${port}`);
    expect(line).toBe('HTTP/1.1 200 Connection established');
    socket.write('GET /through HTTP/1.0\r\n\r\n');
    expect(String((await once(socket, 'data')) as unknown)).toContain('/through');
    for (const refused of [
      `http://other.test:${port}/`,
      `http://wide.test:${port}/`,
      `http://evilwide.test:${port}/`,
      'http://ok.test/',
      'http://web.test:8080/',
    ]) {
      expect((await get(proxy, refused)).status, refused).toBe(403);
      expect((await tunnel(proxy, new URL(refused).host.replace(/^([^:]*)$/, '$1:80'))).line, refused).toMatch(/ 403 /);
    }
  });

  it('takes requests to all public hosts where all are allowed, and to nothing else', async () => {
    const proxy = await start({ allow: [`*:${port}`], innerAddresses: ['127.0.0.1'], resolve: names });
    for (const host of ['ok.test', 'a.wide.test', 'other.test'])
      expect((await get(proxy, `http://${host}:${port}/`)).status, host).toBe(200);
    expect((await get(proxy, 'http://ok.test:8080/')).status).toBe(403);
    const strict = await start({ allow: ['*'], resolve: async () => ['10.1.2.3'] });
    expect((await get(strict, 'http://inner.test/')).text).toMatch('inner.test is not a public address');
    expect((await get(strict, `http://ok.test:${port}/`)).text).toMatch('host not in allow');
  });

  it('does not reach the host or an inner network, whatever the name', async () => {
    const allow = [
      '*',
      `*:${port}`,
      '*.test',
      `sly.test:${port}`,
      `127.0.0.1:${port}`,
      `[::1]:${port}`,
      '169.254.169.254',
      '0x7f000001',
      'localhost',
      `localhost:${port}`,
    ];
    for (const address of [
      '127.0.0.1',
      '::1',
      '::ffff:127.0.0.1',
      '10.1.2.3',
      '192.168.0.1',
      '172.20.0.1',
      '169.254.169.254',
      'fe80::1',
      'fd00::1',
      '0.0.0.0',
      '::',
      'not an address',
    ]) {
      const proxy = await start({ allow, resolve: async () => [address] });
      expect((await get(proxy, `http://sly.test:${port}/`)).status, address).toBe(403);
      expect((await tunnel(proxy, `sly.test:${port}`)).line, address).toMatch(/ 403 /);
    }
    const proxy = await start({ allow });
    for (const url of [
      `http://127.0.0.1:${port}/`,
      `http://[::1]:${port}/`,
      `http://localhost:${port}/`,
      'http://169.254.169.254/',
      `http://2130706433:${port}/`,
      `http://0x7f.1:${port}/`,
    ]) {
      expect((await get(proxy, url)).status, url).toBe(403);
    }
  });

  it('connects to the checked address, in spite of DNS rebinding', async () => {
    let lookups = 0;
    const resolve = async () => (lookups++ === 0 ? ['10.0.0.1'] : ['127.0.0.1']);
    const proxy = await start({ allow: [`sly.test:${port}`], resolve });
    expect((await get(proxy, `http://sly.test:${port}/`)).status).toBe(403);
    expect(lookups).toBe(1);
    const both = await start({ allow: [`two.test:${port}`], innerAddresses: ['127.0.0.1'], resolve: names });
    expect((await get(both, `http://two.test:${port}/`)).status).toBe(200);
    expect(lookups).toBe(1);
  });

  it('passes a redirect on and does not follow it', async () => {
    const proxy = await start({ allow: [`ok.test:${port}`], innerAddresses: ['127.0.0.1'], resolve: names });
    const { status, headers } = await get(proxy, `http://ok.test:${port}/away`);
    expect([status, headers.location]).toEqual([302, `http://127.0.0.1:${port}/secret`]);
    expect((await get(proxy, headers.location ?? '')).status).toBe(403);
  });

  it('answers invalid proxy requests, and survives them', async () => {
    const proxy = await start({ allow: [`ok.test:${port}`], innerAddresses: ['127.0.0.1'], resolve: names });
    for (const path of ['/', 'ftp://ok.test/', 'http://', '*']) expect((await get(proxy, path)).status, path).toBe(400);
    for (const target of ['ok.test', 'ok.test:', ':80', 'ok.test:99999', 'a b:80'])
      expect((await tunnel(proxy, target)).line, target).toMatch(/ 40[03] /);
    const rude = connect(proxy, '127.0.0.1');
    rude.write('CONNECT ok.test');
    rude.resetAndDestroy();
    expect((await get(proxy, `http://ok.test:${port}/`)).status).toBe(200);
    expect(
      (
        await start({ allow: ['gone.test:1'], innerAddresses: ['127.0.0.1'], resolve: names }).then((at) =>
          get(at, 'http://gone.test:1/'),
        )
      ).status,
    ).toBe(502);
  });

  it('needs a list of hosts', () => {
    for (const host of [
      '',
      'http://a.test',
      'a.test/x',
      '**',
      '*.',
      'a b',
      'a.test:0x1',
      'a.test:70000',
      '*.10.0.0.1',
    ]) {
      expect(() => new EgressProxy({ allow: [host] }), host).toThrow(expect.objectContaining({ code: 'bad_input' }));
    }
  });
});

describe('addresses', () => {
  it.each([
    ['93.184.215.14', true],
    ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', true],
    ['127.9.9.9', false],
    ['100.64.0.1', false],
    ['255.255.255.255', false],
    ['224.0.0.1', false],
    ['::ffff:8.8.8.8', false],
    ['64:ff9b::7f00:1', false],
    ['2002:7f00:1::', false],
    ['::127.0.0.1', false],
    ['fe80::1%lo', false],
    ['example.org', false],
  ])('%s is of the open internet: %s', (address, expected) => {
    expect(isOutsideAddress(address)).toBe(expected);
  });
});

for (const { kind, isolation, label } of builders)
  describe.skipIf(isolation.kind === 'none')(`a session with network access, isolated ${label}`, () => {
    let enclosure: Enclosure;
    afterEach(() => enclosure.close());

    it('reaches only allowed hosts, by the proxy of its environment', async () => {
      enclosure = await createEnclosure({
        isolation: kind,
        network: { allow: [`ok.test:${port}`], innerAddresses: ['127.0.0.1'], resolve: names },
      });
      const curl = (...args: string[]) => run(enclosure, 'curl', ['-sS', '--max-time', '5', ...args]);
      expect((await curl(`http://ok.test:${port}/x`)).stdout).toContain('"url":"/x"');
      expect((await curl('-p', `http://ok.test:${port}/y`)).stdout).toContain('"url":"/y"');
      expect((await curl(`http://127.0.0.1:${port}/`)).code).not.toBe(0);
      expect(
        (await curl('--noproxy', '', '-x', 'http://127.0.0.1:3128', `http://127.0.0.1:${port}/`)).stdout,
      ).toContain('not in allow');
      expect((await curl('--noproxy', '*', `http://93.184.215.14:${port}/`)).code).not.toBe(0);
      expect((await curl('http://other.test/')).stdout).toContain('host not in allow');
      expect(await shell(enclosure, 'getent hosts ok.test || echo no')).toBe('no');
      expect(enclosure.explain(new URL('http://other.test/'))).toBe('host not in allow: other.test:80');
      expect(enclosure.explain(new URL(`http://ok.test:${port}/`))).toBeUndefined();
    });

    it('reaches a port of the host that is named, and no other', async () => {
      const unnamed = createHttp((_, response) => response.end('other')).listen(0, '127.0.0.1');
      await once(unnamed, 'listening');
      opened.push(() => unnamed.close());
      enclosure = await createEnclosure({ isolation: kind, network: { allow: [`127.0.0.1:${port}`] } });
      const curl = (url: string) => run(enclosure, 'curl', ['-sS', '--max-time', '5', url]);
      expect((await curl(`http://127.0.0.1:${port}/x`)).stdout).toContain('"url":"/x"');
      expect((await curl(`http://localhost:${port}/y`)).stdout).toContain('"url":"/y"');
      expect((await curl(`http://127.0.0.1:${(unnamed.address() as { port: number }).port}/`)).code).not.toBe(0);
      expect((await curl('http://other.test/')).stdout).toContain('host not in allow');
    });

    it('reaches no port of the host if none is named', async () => {
      enclosure = await createEnclosure({ isolation: kind });
      for (const host of ['127.0.0.1', 'localhost', '[::1]:0', 'localhost:70000']) {
        await expect(createEnclosure({ isolation: kind, network: { allow: [host] } }), host).rejects.toMatchObject({
          code: 'bad_input',
          detail: { field: 'network.allow' },
        });
      }
    });
  });
