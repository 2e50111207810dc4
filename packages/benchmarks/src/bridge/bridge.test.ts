import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Bridge, type BridgeOptions } from './bridge.js';
import { Pool } from './pool.js';

const double = (name: string) => fileURLToPath(new URL(`./double/${name}`, import.meta.url));
const bridges: Bridge[] = [];
const terms = { timeoutMs: 60_000 };

function start(options: Partial<BridgeOptions> = {}): Bridge {
  const bridge = new Bridge({ name: 'double', program: 'python3', args: [double('bridgeDouble.py')], ...options });
  bridges.push(bridge);
  return bridge;
}

const hostile = (maxLine?: number) =>
  start({
    program: process.execPath,
    args: [double('hostileDouble.js')],
    ...(maxLine !== undefined && { maxLine }),
  });

afterEach(async () => {
  await Promise.all(bridges.splice(0).map((bridge) => bridge.close(0)));
});

/** An orphan that nobody has waited for yet is dead too. */
const isAlive = (pid: number) => {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && !readFileSync(stat, 'utf8').includes(') Z ');
};

const infra = (message: RegExp) =>
  expect.objectContaining({
    code: 'infra',
    detail: expect.objectContaining({ part: 'benchmark' }),
    message: expect.stringMatching(message),
  });

describe('a bridge', () => {
  test('answers calls in their order', async () => {
    const bridge = start();
    const numbers = await Promise.all(
      [1, 2, 3].map((n) => bridge.call('echo', { n, text: 'ü\n"' }, z.object({ n: z.number() }), terms)),
    );
    expect(numbers).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  test('is not disturbed by official code that prints, and starts programs that read', async () => {
    const bridge = start();
    const log: string[] = [];
    const logged = start({ onLog: (text) => log.push(text) });
    const [first, second] = [bridge, logged].map(async (each) => {
      const chatter = each.call('chatter', { n: 1 }, z.json(), terms);
      return [await chatter, await each.call('echo', { n: 2 }, z.json(), terms)];
    });
    expect(await first).toEqual([{ taken: 0, n: 1 }, { n: 2 }]);
    expect(await second).toEqual([{ taken: 0, n: 1 }, { n: 2 }]);
    expect(log.join('')).toContain('a line of a C library');
  });

  test('reports exceptions of the official code as infra, and serves on', async () => {
    const bridge = start();
    await expect(bridge.call('throw', { message: 'no bytes' }, z.json(), terms)).rejects.toEqual(
      infra(/^double: TypeError: no bytes$/),
    );
    await expect(bridge.call('exit', { code: 0 }, z.json(), terms)).rejects.toEqual(infra(/SystemExit/));
    await expect(bridge.call('unknown', {}, z.json(), terms)).rejects.toEqual(infra(/KeyError/));
    await expect(bridge.call('refuse', { message: 'no such task' }, z.json(), terms)).rejects.toMatchObject({
      code: 'bad_input',
      message: 'double: no such task',
    });
    expect(await bridge.call('echo', { n: 1 }, z.json(), terms)).toEqual({ n: 1 });
    expect(bridge.broken).toBe(false);
  });

  test('that dies gives its last words, to this call and all later ones', async () => {
    const bridge = start();
    await expect(bridge.call('die', {}, z.json(), terms)).rejects.toEqual(infra(/ended with code 3: out of cheese$/));
    expect(bridge.broken).toBe(true);
    await expect(bridge.call('echo', {}, z.json(), terms)).rejects.toEqual(infra(/out of cheese/));
  });

  test('that hangs is killed with its children', async () => {
    const bridge = start();
    const { pid } = await bridge.call('orphan', {}, z.object({ pid: z.number() }), terms);
    expect(isAlive(pid)).toBe(true);
    await expect(bridge.call('hang', {}, z.json(), { timeoutMs: 300 })).rejects.toEqual(
      infra(/did not answer hang within 0.3 s/),
    );
    await bridge.close();
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('that does not start is infra', async () => {
    const bridge = start({ program: '/nowhere/python3' });
    await expect(bridge.call('echo', {}, z.json(), terms)).rejects.toEqual(infra(/does not start|ended/));
  });

  test('closed during a call rejects it', async () => {
    const bridge = start();
    await bridge.call('echo', {}, z.json(), terms);
    const call = bridge.call('hang', {}, z.json(), terms);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await Promise.all([expect(call).rejects.toEqual(infra(/closed/)), bridge.close(0)]);
  });

  test('takes a result that does not fit for a broken process', async () => {
    const bridge = start();
    await expect(bridge.call('echo', { n: 'one' }, z.object({ n: z.number() }), terms)).rejects.toEqual(
      infra(/answered echo with an invalid n/),
    );
    expect(bridge.broken).toBe(true);
  });
});

test.each([
  ['no JSON', 'Loading weights...\n'],
  ['half a reply, then its end', '{"id":1,"res\n'],
  ['the reply to another request', '{"id":2,"result":1}\n'],
  ['two replies', '{"id":1,"result":1}\n{"id":1,"result":2}\n'],
  ['bytes that are no text', Buffer.from([0, 255, 254, 10])],
  ['a kind of error that gyre does not know', '{"id":1,"error":{"kind":"bug","message":""}}\n'],
  ['an endless line', 'x'.repeat(5_000)],
])('a process that prints %s is broken', async (_, printed) => {
  const bridge = hostile(1_000);
  const call = () => bridge.call('any', { bytes: Buffer.from(printed).toString('base64') }, z.json(), terms);
  const first = await call().catch((error: unknown) => error);
  // The first of two replies counts.
  if (first !== 1) expect(first).toEqual(infra(/no reply|bytes/));
  await expect(call()).rejects.toEqual(infra(/no reply|bytes/));
});

describe('a pool', () => {
  test('uses bridges again, replaces broken ones and starts no more than its size', async () => {
    let started = 0;
    const pool = new Pool(1, () => {
      started++;
      return Promise.resolve(start());
    });
    const first = await pool.acquire();
    const waiting = pool.acquire();
    await pool.release(first);
    expect(await waiting).toBe(first);
    await first.call('die', {}, z.json(), terms).catch(() => undefined);
    await pool.release(first);
    const second = await pool.acquire();
    expect(second).not.toBe(first);
    expect(started).toBe(2);
    const late = pool.acquire();
    await Promise.all([expect(late).rejects.toEqual(infra(/closed/)), pool.close()]);
    expect(second.broken).toBe(true);
  });
});
