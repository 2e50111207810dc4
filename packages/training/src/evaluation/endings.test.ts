import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type EndedEpisode, endingsOf, sumOfRates } from './endings.js';

const episode = (finished: boolean, success?: boolean, sideEffects?: readonly string[]) =>
  ({
    turns: [{ actions: [{ type: 'finished' }] }, { actions: finished ? [{ type: 'finished' }] : [] }],
    ...(success !== undefined && { verdict: { success, evidence: { ...(sideEffects && { sideEffects }) } } }),
  }) as unknown as EndedEpisode;

test('counts an episode that ends with `finished` and fails, and not one that was interrupted or solved', () => {
  const { falseCompletes, sideEffects } = endingsOf([
    episode(true, false),
    episode(true, true),
    episode(false, false),
    episode(true, undefined),
  ]);
  expect(falseCompletes).toMatchObject({ count: 1, n: 3, share: 1 / 3 });
  expect(falseCompletes.low).toBeGreaterThan(0);
  expect(falseCompletes.high).toBeLessThan(1);
  expect(sideEffects).toBeUndefined();
});

test('counts side effects among the episodes whose verifier looks for them', () => {
  const episodes = [episode(true, true, []), episode(true, false, ['mail.1']), episode(false, false)];
  expect(endingsOf(episodes).sideEffects).toMatchObject({ count: 1, n: 2, share: 0.5 });
  expect(endingsOf([])).toEqual({ falseCompletes: { count: 0, n: 0, share: 0, low: 0, high: 1 } });
});

test('sums of rates are the rates of all episodes', () => {
  const some = fc.array(fc.tuple(fc.boolean(), fc.boolean()).map(([finished, success]) => episode(finished, success)));
  fc.assert(
    fc.property(some, some, (first, second) => {
      const rates = [first, second].map((episodes) => endingsOf(episodes).falseCompletes);
      expect(sumOfRates(rates)).toEqual(endingsOf([...first, ...second]).falseCompletes);
    }),
  );
});
