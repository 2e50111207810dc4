import { expect, test } from 'vitest';
import { median, race, ratio, rounds } from './race.js';

test('contestants take turns, all lanes of one at once, and are closed', async () => {
  const log: string[] = [];
  let under = 0;
  let peak = 0;
  const contestant = (name: string, lanes: number) => ({
    lanes: Array.from({ length: lanes }, () => async () => {
      if (log.at(-1) !== name) log.push(name);
      peak = Math.max(peak, ++under);
      await new Promise((resolve) => setTimeout(resolve, 2));
      under -= 1;
    }),
    close: () => Promise.resolve(void log.push(`${name} closed`)),
  });
  const rates = await race({ one: contestant('one', 1), many: contestant('many', 4) }, 4);
  expect(rates.one).toHaveLength(rounds);
  for (const rate of [...rates.one, ...rates.many]) expect(rate).toBeGreaterThan(0);
  expect(peak).toBe(4);
  expect(log.slice(-2)).toEqual(['one closed', 'many closed']);
  expect(log.slice(0, -2)).toHaveLength(2 + 2 + (rounds - 1));
});

test('a contestant that fails does not leave the others open', async () => {
  let closed = 0;
  const close = () => {
    closed++;
    return Promise.resolve();
  };
  const contestants = {
    good: { lanes: [() => new Promise((resolve) => setImmediate(resolve))], close },
    bad: { lanes: [() => Promise.reject(new Error('gone'))], close },
  };
  await expect(race(contestants, 4)).rejects.toThrow('gone');
  expect(closed).toBe(2);
});

test('ratios are taken within rounds', () => {
  expect(ratio([10, 100, 30], [20, 100, 10])).toBe(1);
  expect(median([4, 1, 3, 2])).toBe(2.5);
});
