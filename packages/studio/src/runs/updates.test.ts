import fc from 'fast-check';
import { expect, test } from 'vitest';
import { updatePoint, type UpdatePoint } from './updateLine.js';
import { allUpdates, withUpdate } from './updates.js';
import { troublesOf } from './troubles.js';

const recorded = '2026-11-30T19:20:44.331Z';
const line = (change: object): string =>
  JSON.stringify({ at: recorded, environmentSteps: 100, success: { click: 0.75 }, played: { click: 8 }, ...change });
const point = (change: object): UpdatePoint => updatePoint(line(change))!;

test('a line that is none is left out, whatever it is', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void updatePoint(text)));
  expect(updatePoint(line({}).slice(0, -5))).toBeUndefined();
  expect(updatePoint(line({ environmentSteps: 'many' }))).toBeUndefined();
});

test('a field that was not measured, or is of another kind, is absent; the others are there', () => {
  const { kl, entropy, success, staleness, intervals } = point({
    ...{ kl: null, entropy: 'low', success: { click: 0.75, maze: null }, staleness: { 0: 30, 2: 10 } },
  });
  expect([kl, entropy, staleness]).toEqual([undefined, undefined, 0.5]);
  expect(success).toEqual({ click: 0.75, maze: null });
  // Wilson's interval of 6 among 8.
  expect(intervals.click!.map((bound) => Math.round(100 * bound))).toEqual([41, 93]);
  expect(point({ success: { click: 7 } }).intervals).toEqual({});
});

test('an iteration that was repeated counts once, as it was at last', () => {
  const steps = fc.array(fc.nat(20), { maxLength: 30 });
  fc.assert(
    fc.property(steps, (series) => {
      const points = series.map((environmentSteps, iteration) => point({ environmentSteps, iteration }));
      const updates = allUpdates(points);
      expect(points.reduce<UpdatePoint[]>(withUpdate, [])).toEqual(updates);
      for (const [i, { environmentSteps }] of updates.entries())
        expect(environmentSteps).toBeGreaterThan(updates[i - 1]?.environmentSteps ?? -1);
      if (points.length > 0) expect(updates.at(-1)).toEqual(points.at(-1));
    }),
  );
});

const troublesIn = (...changes: object[]): string =>
  troublesOf(changes.map((change, i) => point({ environmentSteps: i, ...change })))
    .map(({ text }) => text)
    .join('\n');

test('what holds a run back is said in words, and nothing if nothing does', () => {
  expect(troublesIn({}, { kl: 0.05 }, { infraErrors: 0, episodes: 30 })).toBe('');
  expect(troublesIn({ groups: { tasks: 10, allSucceeded: 1, allFailed: 7 } })).toMatch(/80 % of the groups .* easier tasks/);
  expect(troublesIn({ success: { maze: 0 } }, { success: { maze: 0 } })).toMatch(/Nothing was solved .* of maze/);
  expect(troublesIn({ success: { maze: 1 } }, { success: { maze: 1 } })).toMatch(/Everything was solved .* of maze/);
  expect(troublesIn({ success: { maze: 0 } }, { success: { maze: 0.1 } })).toBe('');
  expect(troublesIn({ kl: 0.02 }, { kl: 0.03 }, { kl: 0.02 }, { kl: 0.2 })).toMatch(/at 3 steps .* KL of 0.20 .* 10.0 times/);
  expect(troublesIn({ infraErrors: 3, episodes: 27 })).toMatch(/3 of 30 rollouts .*\(10 %\).* gyre doctor/);
  expect(troublesIn({ entropy: 0.001 })).toMatch(/entropy is 0.001/);
  expect(troublesIn({ gap: { mean: 0.2, largest: 3 } })).toMatch(/disagree by 0.20 nats/);
  expect(troublesIn({ explainedVariance: -0.1 }, { explainedVariance: 0 })).toMatch(/critic explains none/);
});
