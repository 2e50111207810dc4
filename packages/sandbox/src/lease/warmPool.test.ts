import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import { expect, it } from 'vitest';
import { type Warm, WarmPool } from './warmPool.js';

class Double implements Warm {
  closed = 0;
  silent = false;
  die: () => void = () => undefined;
  readonly broken = new Promise<GyreError>(
    (resolve) => (this.die = () => resolve(new GyreError('infra', 'killed', { part: 'machine' }))),
  );

  constructor(readonly name: number) {}

  answers(): Promise<void> {
    return this.silent ? new Promise(() => undefined) : Promise.resolve();
  }

  close(): Promise<void> {
    this.closed += 1;
    return Promise.resolve();
  }
}

function starter(): { start: () => Promise<Double>; machines: Double[]; fail: { next: number } } {
  const machines: Double[] = [];
  const fail = { next: 0 };
  const start = async (): Promise<Double> => {
    await pause(5);
    if (fail.next-- > 0) throw new GyreError('infra', 'no machine today', { part: 'machine' });
    const double = new Double(machines.length + 1);
    machines.push(double);
    return double;
  };
  return { start, machines, fail };
}

it('leases a ready machine at once, and starts another', async () => {
  const { start } = starter();
  const heard: number[] = [];
  const pool = await WarmPool.fill(2, start, { refilled: (ready) => heard.push(ready) });
  expect(pool.stats).toEqual({ ready: 2, taken: 0, died: 0, failed: 0 });
  expect((await pool.take())?.name).toBe(1);
  expect((await pool.take())?.name).toBe(2);
  expect(await pool.take()).toBeUndefined();
  await expect.poll(() => pool.stats).toEqual({ ready: 2, taken: 2, died: 0, failed: 0 });
  expect(heard).toEqual([1, 2, 1, 2]);
  await pool.close();
});

it('replaces and counts a dead machine, and never leases it', async () => {
  const { start, machines } = starter();
  const reasons: string[] = [];
  const pool = await WarmPool.fill(2, start, { died: ({ message }) => reasons.push(message) });
  machines[0]!.die();
  await expect.poll(() => pool.stats).toEqual({ ready: 2, taken: 0, died: 1, failed: 0 });
  expect(machines[0]!.closed).toBe(1);
  expect([(await pool.take())?.name, (await pool.take())?.name]).toEqual([2, 3]);
  expect(reasons).toEqual(['killed']);
  await pool.close();
});

it('does not lease a machine that dies during its check or does not answer', async () => {
  const { start, machines } = starter();
  const pool = await WarmPool.fill(3, start);
  machines[0]!.silent = true;
  machines[1]!.answers = () => {
    machines[1]!.die();
    return pause(1);
  };
  expect((await pool.take())?.name).toBe(3);
  expect(pool.stats).toMatchObject({ taken: 1, died: 2 });
  expect(machines.map(({ closed }) => closed).slice(0, 3)).toEqual([1, 1, 0]);
  await pool.close();
});

it('retries when a machine does not start', async () => {
  const { start, fail } = starter();
  const pool = await WarmPool.fill(1, start);
  fail.next = 1;
  await pool.take();
  await expect.poll(() => pool.stats, { timeout: 4_000 }).toEqual({ ready: 1, taken: 1, died: 0, failed: 1 });
  await pool.close();
});

it('leaves nothing where the first ones do not start', async () => {
  const { start, machines } = starter();
  const second = () => (machines.length === 1 ? Promise.reject(new GyreError('missing', 'no browser')) : start());
  await expect(WarmPool.fill(2, second)).rejects.toMatchObject({ code: 'missing' });
  expect(machines.map(({ closed }) => closed)).toEqual([1]);
});

it('leaves nothing when it is closed, whatever is under way', async () => {
  const { start, machines } = starter();
  const pool = await WarmPool.fill(2, start);
  await pool.take();
  await pause(1);
  const taking = pool.take();
  await pool.close();
  expect(await taking).toBeUndefined();
  expect(machines.slice(1).map(({ closed }) => closed)).toEqual(machines.slice(1).map(() => 1));
  expect(machines.length).toBeGreaterThan(2);
});
