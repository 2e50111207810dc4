import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { type ConnectionLimits, guardConnections, serverOptions } from './connections.js';

const open: { app?: FastifyInstance; sockets: Socket[] } = { sockets: [] };
afterEach(async () => {
  for (const socket of open.sockets.splice(0)) socket.destroy();
  await open.app?.close();
});

async function serve(limits: ConnectionLimits): Promise<number> {
  const app = (open.app = Fastify({ forceCloseConnections: true, ...serverOptions(limits) }));
  guardConnections(app.server, limits);
  app.post('/', () => 'taken');
  app.get('/', () => 'here');
  app.get('/long', (_, reply) => reply.send(Buffer.alloc(2 ** 26)));
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  open.sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Unread bytes make a close a reset. */
const ended = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.on('error', () => undefined).once('close', () => resolve()));
const fetchText = (port: number): Promise<string> => fetch(`http://127.0.0.1:${port}/`).then((answer) => answer.text());

describe('a connection', () => {
  it('without a request or complete headers is closed', async () => {
    const port = await serve({ headersMs: 100 });
    const [silent, half] = [await dial(port), await dial(port)];
    half.write('GET / HTTP/1.1\r\nhost: x\r\n');
    silent.resume();
    half.resume();
    await Promise.all([ended(silent), ended(half)]);
    expect(await fetchText(port)).toBe('here');
  });

  it('that stays idle is closed', async () => {
    const port = await serve({ idleMs: 100 });
    const socket = await dial(port);
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    socket.resume();
    await ended(socket);
  });

  it('with a stalled or trickling body is closed; a steady one is not', async () => {
    const port = await serve({ bodyMs: 500, bodyBytesPerSecond: 200 });
    const head = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 16000\r\n\r\n';
    const [stopped, dripping, coming] = [await dial(port), await dial(port), await dial(port)];
    for (const socket of [stopped, dripping, coming]) {
      socket.write(head);
      socket.resume();
    }
    const drip = setInterval(() => dripping.write('x'), 50);
    const come = setInterval(() => coming.write('x'.repeat(1_600)), 200);
    coming.write('x'.repeat(1_600));
    const answer = once(coming, 'data');
    await Promise.all([ended(stopped), ended(dripping)]);
    clearInterval(drip);
    expect(String(await answer)).toContain('200 OK');
    clearInterval(come);
  });

  it('that reads nothing is closed; one that reads slowly is not', async () => {
    const port = await serve({ takingMs: 1_500 });
    const [deaf, slow] = [await dial(port), await dial(port)];
    let taken = 0;
    deaf.write('GET /long HTTP/1.1\r\nhost: x\r\n\r\n');
    slow.write('GET /long HTTP/1.1\r\nhost: x\r\n\r\n');
    slow.on('data', (bytes: Buffer) => (taken += bytes.length));
    await expect.poll(() => taken, { timeout: 10_000 }).toBeGreaterThan(2 ** 26);
    await expect.poll(() => connections(open.app!.server), { timeout: 10_000 }).toBe(1);
    expect(slow.destroyed).toBe(false);
  });

  it('more than one address may have is refused; the others go on', async () => {
    const port = await serve({ perAddress: 3 });
    const mine = [await dial(port), await dial(port), await dial(port)];
    await ended((await dial(port)).resume());
    mine[0]!.destroy();
    await expect.poll(() => connections(open.app!.server)).toBe(2);
    expect(await fetchText(port)).toBe('here');
  });

  it.each([{ connections: 0 }, { headersMs: Number.NaN }, { takingMs: 2 ** 31 }])(
    'has valid limits only: %j',
    (limits) => {
      const server = createServer();
      expect(() => guardConnections(server, limits)).toThrow(expect.objectContaining({ code: 'bad_input' }));
    },
  );
});

function connections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}
