import { createServer, connect, type Server, type Socket } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex, PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mutated, numbers } from '../isolation/peer/hostile.test.support.js';
import { Qmp, type QmpEvent } from './qmp.js';

const greeting = { QMP: { version: { qemu: { major: 7, minor: 2, micro: 0 }, package: '' }, capabilities: [] } };

type Answer = (command: { execute: string; id: number; arguments: Record<string, unknown> }, socket: Socket) => void;

let folder: string;
let server: Server;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-qmp-'));
});
afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const say = (socket: Socket, what: unknown) => socket.write(`${JSON.stringify(what)}\r\n`);

async function double(answer: Answer, first: unknown = greeting): Promise<Socket> {
  server = createServer((socket) => {
    if (first !== null) say(socket, first);
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      text += data.toString();
      const lines = text.split('\n');
      text = lines.pop()!;
      for (const line of lines) {
        const command = JSON.parse(line) as Parameters<Answer>[0];
        if (command.execute === 'qmp_capabilities') say(socket, { return: {}, id: command.id });
        else answer(command, socket);
      }
    });
  });
  const path = join(folder, 'qmp');
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return connect(path);
}

test('answers find their commands, in whatever order and pieces they come', async () => {
  const releases: (() => void)[] = [];
  const socket = await double(({ id, arguments: { word } }, peer) => {
    releases.push(() => {
      const text = `${JSON.stringify({ return: { word }, id })}\r\n`;
      const bytes = Buffer.from(text);
      peer.write(bytes.subarray(0, 14));
      setTimeout(() => peer.write(bytes.subarray(14)), 5);
    });
    if (releases.length === 2)
      for (const [index, send] of releases.toReversed().entries()) setTimeout(send, index * 30);
  });
  const qmp = await Qmp.open(socket);
  expect(await Promise.all([qmp.ask('echo', { word: 'ä' }), qmp.ask('echo', { word: 'b' })])).toEqual([
    { word: 'ä' },
    { word: 'b' },
  ]);
  qmp.close();
});

test('a refused command fails with the error of QEMU, and the next one works', async () => {
  const socket = await double(({ id, execute }, peer) => {
    const error = { class: 'CommandNotFound', desc: 'The command fly has not been found' };
    say(peer, execute === 'fly' ? { error, id } : { return: { running: true }, id });
  });
  const qmp = await Qmp.open(socket);
  await expect(qmp.ask('fly')).rejects.toMatchObject({
    code: 'infra',
    message: 'QEMU refused fly: The command fly has not been found',
  });
  expect(await qmp.ask('query-status')).toEqual({ running: true });
  qmp.close();
});

test('events reach a listener until it is removed', async () => {
  const socket = await double(({ id }, peer) => {
    say(peer, { event: 'GUEST_PANICKED', data: { action: 'poweroff' }, timestamp: { seconds: 1, microseconds: 0 } });
    say(peer, { event: 'RESET', timestamp: { seconds: 1, microseconds: 0 } });
    say(peer, { return: {}, id });
  });
  const qmp = await Qmp.open(socket);
  const events: QmpEvent[] = [];
  const deaf = qmp.listen((event) => events.push(event));
  await qmp.ask('x');
  deaf();
  await qmp.ask('x');
  expect(events).toMatchObject([
    { event: 'GUEST_PANICKED', data: { action: 'poweroff' } },
    { event: 'RESET', data: {} },
  ]);
  qmp.close();
});

test('a command without an answer in time ends the connection and all pending commands', async () => {
  const qmp = await Qmp.open(await double(() => undefined));
  const second = qmp.ask('query-status');
  await expect(qmp.ask('stop', {}, 50)).rejects.toMatchObject({ message: 'QEMU did not answer stop within 50 ms' });
  await expect(second).rejects.toMatchObject({ code: 'infra' });
  await expect(qmp.ask('cont')).rejects.toMatchObject({ message: 'QEMU did not answer stop within 50 ms' });
  expect(await qmp.ended).toMatchObject({ code: 'infra' });
  expect(qmp.over).toBe(true);
});

test('the end of QEMU fails pending commands', async () => {
  const qmp = await Qmp.open(await double((_command, peer) => peer.destroy()));
  await expect(qmp.ask('quit')).rejects.toMatchObject({ code: 'infra', message: 'QEMU has ended' });
});

test.each([
  ['nothing', null, /sent no greeting within 100 ms/],
  ['another greeting', { hello: 1 }, /sent an unknown message/],
  ['a greeting without a version', { QMP: {} }, /not QEMU/],
])('a peer that sends %s is not accepted as QEMU', async (_what, first, message) => {
  await expect(Qmp.open(await double(() => undefined, first), first === null ? 100 : 30_000)).rejects.toMatchObject({
    code: 'infra',
    message: expect.stringMatching(message),
  });
});

test('invalid JSON and endless messages end the connection', async () => {
  const qmp = await Qmp.open(await double((_command, peer) => peer.write('HTTP/1.1 400\r\n')));
  await expect(qmp.ask('x')).rejects.toMatchObject({ message: expect.stringContaining('invalid JSON: "HTTP/1.1 400') });
  server.close();
  await rm(join(folder, 'qmp'), { force: true });
  const flood = await Qmp.open(await double((_command, peer) => peer.write(Buffer.alloc(2 ** 23, 0x20))));
  await expect(flood.ask('x')).rejects.toMatchObject({
    message: expect.stringContaining('sent a message of more than'),
  });
});

test('whatever QEMU says, nothing is thrown out of the handler, and its end is infra', async () => {
  const valid = [
    { return: { running: true }, id: 2 },
    { error: { class: 'X', desc: 'no' }, id: 3 },
    { event: 'RESET', data: {}, timestamp: { seconds: 1 } },
  ].map((what) => Buffer.from(`${JSON.stringify(what)}\r\n`));
  for (let seed = 0; seed < 200; seed++) {
    const next = numbers(seed);
    const readable = new PassThrough();
    const writable = new PassThrough();
    writable.once('data', () => readable.write('{"return":{},"id":1}\r\n'));
    const stream = Duplex.from({ readable, writable });
    readable.write(`${JSON.stringify(greeting)}\r\n`);
    const opened = await Qmp.open(stream).catch((error: unknown) => error);
    if (!(opened instanceof Qmp)) throw opened;
    const answers = [opened.ask('x'), opened.ask('y')].map((each) => each.catch((error: unknown) => error));
    for (let times = 0; times < 15; times++) {
      const message = valid[Math.floor(next() * valid.length)]!;
      readable.write(next() < 0.5 ? message : mutated(message, next));
    }
    readable.end();
    expect(await opened.ended).toMatchObject({ code: 'infra', detail: { part: 'vm' } });
    await Promise.all(answers);
  }
});
