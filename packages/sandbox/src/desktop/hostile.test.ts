import { execFile } from 'node:child_process';
import { readFileSync, truncateSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { GyreError } from '@gyre/protocol';
import fc from 'fast-check';
import x11 from 'x11';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BareEnclosure } from '../isolation/bareEnclosure.js';
import { hostileProxy, mutated, numbers } from '../isolation/peer/hostile.test.support.js';
import { Violation } from '../isolation/peer/violation.js';
import { BusConnection } from './busConnection.js';
import { BusReader, typesOf } from './busValue.js';
import { XConnection } from './connection.js';
import { Desktop } from './desktop.js';
import { missingForDesktop } from './requirement.js';

const missing = missingForDesktop().map(({ debian }) => debian);
const run = promisify(execFile);
const within = <Value>(ms: number, value: Promise<Value>) =>
  Promise.race([value, new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), ms))]);

describe('values of the bus', () => {
  it('are read from whatever bytes by whatever signature, or refused', () => {
    const signature = fc.string({ unit: fc.constantFrom(...'ybnqiuxtdsogavh(){}'), maxLength: 12 });
    fc.assert(
      fc.property(signature, fc.uint8Array({ maxLength: 200 }), fc.boolean(), (types, bytes, little) => {
        try {
          new BusReader(Buffer.from(bytes), 0, little).read(types);
        } catch (error) {
          expect(error).toBeInstanceOf(Violation);
        }
      }),
      { numRuns: 10_000, seed: 45 },
    );
  });

  it('of types that take no bytes, or are nested without end, are refused', () => {
    for (const types of ['a()', '()', 'a{}', '(', 'a', 'm', 'a'.repeat(200), '('.repeat(200)])
      expect(() => typesOf(types)).toThrow(Violation);
    const variants = Buffer.from([1, 0x76, 0].concat(...Array.from({ length: 60_000 }, () => [1, 0x76, 0])));
    expect(() => new BusReader(variants, 0, true).read('v')).toThrow(Violation);
  });
});

describe.skipIf(missing.length > 0)(
  `a hostile desktop${missing.length > 0 ? ` (needs ${missing.join(', ')})` : ''}`,
  () => {
    let enclosure: BareEnclosure;
    let desktop: Desktop;
    let folder: string;
    let ways: string;
    beforeAll(async () => {
      enclosure = await BareEnclosure.create();
      desktop = await Desktop.start(enclosure, { size: { width: 160, height: 120 }, settle: false });
      folder = join(enclosure.homeOnHost, basename(dirname(desktop.env.XAUTHORITY!)));
      ways = await mkdtemp(join(tmpdir(), 'gyre-hostile-'));
    });
    const cookie = () => readFileSync(join(folder, 'xauthority')).subarray(-16);
    afterAll(async () => {
      await desktop.close();
      await enclosure.close();
      await rm(ways, { recursive: true });
    });

    it('may send messages of any type over the bus', async () => {
      const env = { ...process.env, ...desktop.env };
      const call = ['call', '--session', '--timeout=1', '--object-path', '/', '--method', 'a.b.c'];
      const send = (name: string, value: string) =>
        run('gdbus', [...call, '--dest', name, value], { env }).catch(() => undefined);
      const values = ['@h 0', '<@h 0>', '{"a": <@ah [@h 0]>}', 'b"bytes"', '(@x 1, @t 2, 3.5)', '@a{sv} {}'];
      const names = [0, 1, 2, 3].map((number) => `:1.${number}`);
      await Promise.all(values.flatMap((value) => names.map((name) => send(name, value))));
      expect(await within(50, desktop.ended)).toBe('late');
      expect(await desktop.accessibility()).toBeInstanceOf(Array);
    });

    it('may change answers of its X server, which are parsed or end the connection', async () => {
      const passed = await each(80, async (seed) => {
        const proxy = await hostileProxy(join(ways, `x${seed}`), join(folder, 'x'), 0.02, seed);
        const opening = XConnection.open(proxy.path, cookie()).catch((error: unknown) => error);
        const opened = await within(1_000, opening);
        if (opened instanceof XConnection) await within(1_000, talkTo(opened));
        else if (opened !== 'late') expect(opened).toMatchObject({ code: 'infra' });
        await proxy.close();
        return proxy.passed;
      });
      expect(passed).toBeGreaterThan(2_000);
    });

    it('may change answers of its bus, which are parsed or end the connection', async () => {
      const passed = await each(80, async (seed) => {
        const proxy = await hostileProxy(join(ways, `bus${seed}`), join(folder, 'bus'), 0.02, seed);
        const bus = new BusConnection(proxy.path);
        for (let times = 0; times < 60 && (await within(300, listNames(bus))) !== 'late'; times++);
        bus.close();
        expect(await bus.ended).toMatchObject({ code: 'infra', detail: { part: 'bus' } });
        await proxy.close();
        return proxy.passed;
      });
      expect(passed).toBeGreaterThan(2_000);
    });

    it('may write anything to the socket of its bus or X server', async () => {
      const next = numbers(45);
      let messages = 0;
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => {
          socket.write('OK 1234\r\n');
          for (let times = 0; times < 20; times++, messages++) {
            const header = Buffer.alloc(16);
            header.set([0x6c, 1 + Math.floor(next() * 4), 0, 1]);
            header.writeUInt32LE(Math.floor(next() * 64), 4);
            header.writeUInt32LE(Math.floor(next() * 64), 12);
            socket.write(mutated(Buffer.concat([header, Buffer.alloc(128, next() * 256)]), next));
          }
          socket.end();
        });
      });
      const path = join(ways, 'anything');
      await new Promise<void>((resolve) => server.listen(path, resolve));
      for (let times = 0; times < 100; times++) {
        const bus = new BusConnection(path);
        const [reason, x] = await Promise.all([
          bus.ended,
          XConnection.open(path, Buffer.alloc(16)).catch((error: unknown) => error),
        ]);
        for (const error of [reason, x]) expect(error).toMatchObject({ code: 'infra' });
      }
      server.close();
      expect(messages).toBeGreaterThan(2_000);
    });

    it('may hand over a clipboard without end, and is refused', async () => {
      const owner = await XConnection.open(join(folder, 'x'), cookie());
      const window = owner.newId();
      const [selection, incremental, text] = await Promise.all(
        ['CLIPBOARD', 'INCR', 'UTF8_STRING'].map((name) => owner.atom(name)),
      );
      const piece = Buffer.alloc(200_000, 'x');
      owner.onEvent(({ name, wid, state, ...event }) => {
        owner.tell((client) => {
          const { time, requestor, selection, target, property } = event as Record<string, number>;
          const reply = { time, requestor, selection, target, property };
          if (name === 'SelectionRequest') {
            client.ChangeWindowAttributes(requestor!, { eventMask: x11.eventMask.PropertyChange! });
            client.ChangeProperty(0, requestor!, property!, incremental!, 32, [1]);
            client.SendEvent(requestor!, 0, 0, { ...reply, name: 'SelectionNotify' });
          } else if (name === 'PropertyNotify' && state === 1) {
            client.ChangeProperty(0, wid, event.atom as number, text!, 8, piece);
          }
        });
      });
      owner.tell((client) => {
        client.CreateWindow(window, owner.root, 0, 0, 1, 1, 0, 0, 0, 0, {});
        client.SetSelectionOwner(window, selection!);
      });
      await owner.sync();
      const read = desktop.readClipboard().then(({ length }) => length);
      await expect(read).rejects.toMatchObject({
        code: 'infra',
        message: expect.stringContaining('the clipboard has more than'),
      });
      owner.close();
      expect(await within(50, desktop.ended)).toBe('late');
      expect((await desktop.observe()).size).toEqual({ width: 160, height: 120 });
    });

    it('may cut the file of its screen, and shows nothing of another', async () => {
      const second = await Desktop.start(enclosure, { size: { width: 160, height: 120 }, settle: false });
      const ownScreen = join(enclosure.homeOnHost, basename(dirname(second.env.XAUTHORITY!)), 'screen', 'Xvfb_screen0');
      await desktop.observe();
      truncateSync(ownScreen, 4_000);
      await expect(second.observe()).rejects.toMatchObject({ code: 'infra', detail: { part: 'display' } });
      await second.close();
      expect((await desktop.observe()).size).toEqual({ width: 160, height: 120 });
    });
  },
);

async function each(times: number, work: (seed: number) => Promise<number>): Promise<number> {
  let sum = 0;
  for (let seed = 0; seed < times; seed += 20) {
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => work(seed + index)));
    sum += outcomes.reduce((all, one) => all + one, 0);
  }
  return sum;
}

async function talkTo(connection: XConnection): Promise<void> {
  try {
    for (let times = 0; times < 10; times++) {
      await connection.sync();
      await connection.keyboardMapping(connection.keycodes.first, 10);
      await connection.property(connection.root, '_NET_CLIENT_LIST');
      await connection.ask((client, reply) => client.QueryTree(connection.root, reply));
    }
  } catch (error) {
    expect(error).toBeInstanceOf(GyreError);
    expect((error as GyreError).code).not.toBe('bug');
  } finally {
    connection.close();
  }
}

function listNames(bus: BusConnection): Promise<unknown> {
  const name = 'org.freedesktop.DBus';
  return bus.call({ destination: name, path: '/', interface: name, member: 'ListNames' }, 'as').catch(() => undefined);
}
