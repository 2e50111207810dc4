import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Heartbeat } from './heartbeat.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('detects a silent device without requests', async () => {
  let there = true;
  let questions = 0;
  const heartbeat = new Heartbeat(() => {
    questions += 1;
    return there ? Promise.resolve() : Promise.reject(new Error('silence'));
  });
  let gone: unknown;
  void heartbeat.gone.then((reason) => (gone = reason));
  await vi.advanceTimersByTimeAsync(25_000);
  expect(questions).toBe(2);
  there = false;
  await vi.advanceTimersByTimeAsync(20_000);
  there = true;
  await vi.advanceTimersByTimeAsync(10_000);
  there = false;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(gone).toBeUndefined();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(gone).toMatchObject({ message: 'silence' });
  heartbeat.end();
  questions = 0;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(questions).toBe(0);
});

it('asks one question at a time', () => {
  let questions = 0;
  const heartbeat = new Heartbeat(() => {
    questions += 1;
    return new Promise(() => undefined);
  });
  heartbeat.now();
  heartbeat.now();
  expect(questions).toBe(1);
  heartbeat.end();
});
