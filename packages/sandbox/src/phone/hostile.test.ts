import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mutated, numbers } from '../isolation/peer/hostile.test.support.js';
import { adbServer } from './adbServer.js';
import { packetSplitterFor } from './framing.js';
import { Link } from './link.js';
import { Violation } from '../isolation/peer/violation.js';

const features = 'shell_v2,cmd,stat_v2,ls_v2,apex';
const hex = (text: string): string => text.length.toString(16).padStart(4, '0') + text;
const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const packet = (id: number, data: string): Buffer =>
  Buffer.concat([Buffer.of(id), word(data.length), Buffer.from(data)]);
const piece = (id: string, data: Buffer): Buffer => Buffer.concat([Buffer.from(id), word(data.length), data]);

const answers = [
  packet(1, 'printed'),
  packet(2, 'complained'),
  packet(3, '\0'),
  piece('DATA', Buffer.alloc(300, 'x')),
  Buffer.concat([Buffer.from('DONE'), word(0)]),
  piece('FAIL', Buffer.from('no such file')),
  Buffer.concat([Buffer.from('DNT2'), Buffer.alloc(68), word(4), Buffer.from('name')]),
];

let server: Server;
let port: number;
let messages = 0;
beforeAll(async () => {
  const next = numbers(45);
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    let request = '';
    socket.on('data', (bytes) => {
      request += bytes.toString('latin1');
      for (let length = Number.parseInt(request.slice(0, 4), 16); request.length >= 4 + length;) {
        const service = request.slice(4, 4 + length);
        request = request.slice(4 + length);
        length = Number.parseInt(request.slice(0, 4), 16);
        if (service === 'host:version') socket.end(`OKAY${hex('0029')}`);
        else if (service.startsWith('host:transport-id')) socket.write('OKAY');
        else if (service === 'host:features') socket.end(`OKAY${hex(features)}`);
        else if (!service.startsWith('host')) {
          socket.write('OKAY');
          for (let times = 0; times < 10; times++, messages++) {
            const answer = answers[Math.floor(next() * answers.length)]!;
            socket.write(next() < 0.6 ? answer : mutated(answer, next));
          }
          socket.end();
          return;
        }
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

it('whatever a phone sends, a call ends with what it was or with an error that names the phone', async () => {
  const client = await adbServer({ port });
  const phone = { serial: 'x', state: 'device', model: undefined, fix: '', transport: 1n };
  const link = await Link.open(client, phone, 500);
  const ask = () => [link.run('x', { timeoutMs: 500 }), link.exec('x'), link.pull('/x'), link.list('/x')];
  for (let times = 0; times < 4; times++) {
    for (const end of await Promise.allSettled(Array.from({ length: 15 }, ask).flat())) {
      if (end.status === 'fulfilled') continue;
      expect(end.reason).toMatchObject({ code: expect.stringMatching(/infra|bad_input/) });
    }
  }
  link.close();
  expect(messages).toBeGreaterThan(2_000);
});

it('a packet that is longer than adb sends any is refused before it is waited for', () => {
  for (const [service, bytes] of [
    ['shell,v2,raw:x', Buffer.concat([Buffer.of(1), word(0xffff_ffff)])],
    ['sync:', Buffer.concat([Buffer.from('DATA'), word(2 ** 31)])],
    ['sync:', Buffer.from('nonsense')],
  ] as const)
    expect(() => packetSplitterFor(service)!(bytes)).toThrow(Violation);
});
