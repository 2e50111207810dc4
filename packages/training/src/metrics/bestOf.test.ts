import type { Episode, Turn } from '@gyre/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Attempt, bestOf, confidence } from './bestOf.js';
import { wilson } from './statistics.js';

const attempt = (success: boolean, worth?: number, turns = 3): Attempt => ({ success, worth, turns });

test('the judge chooses; any is what it could have chosen, the mean what blind choice gives', () => {
  const tasks = [
    [attempt(false, 0.2), attempt(true, 0.9)],
    [attempt(true, 0.1, 5), attempt(false, 0.3, 7)],
    [attempt(false, 0.5), attempt(false, 0.4)],
    [attempt(true, 0.5), attempt(false, 0.5)],
  ];
  expect(bestOf(tasks, 2)).toEqual({
    ...{ n: 2, tasks: 4, chosen: wilson(2, 4), any: wilson(3, 4), mean: 3 / 8, turns: 30 / 8 },
  });
  expect(bestOf(tasks, 1)).toMatchObject({ tasks: 4, chosen: wilson(2, 4), any: wilson(2, 4), mean: 0.5 });
});

test('a task with too few attempts is left out, and what cannot be judged is not chosen', () => {
  const tasks = [[attempt(true, 1)], [attempt(true), attempt(false, -3)]];
  expect(bestOf(tasks, 2)).toMatchObject({ tasks: 1, chosen: wilson(0, 1), any: wilson(1, 1) });
  const unjudged = bestOf([[attempt(true), attempt(false)]], 2);
  expect(unjudged).not.toHaveProperty('chosen');
  expect(unjudged).toMatchObject({ tasks: 1, any: wilson(1, 1), mean: 0.5 });
  expect(bestOf([], 4)).toMatchObject({ tasks: 0, any: wilson(0, 0), mean: 0, turns: 0 });
});

test('what is chosen is never better than any, nor worse than where all succeed', () => {
  const attemptLists = fc.array(
    fc.array(fc.tuple(fc.boolean(), fc.double({ noNaN: true })), { minLength: 3, maxLength: 5 }),
  );
  fc.assert(
    fc.property(attemptLists, (tasks) => {
      const attempts = tasks.map((all) => all.map(([success, worth]) => attempt(success, worth)));
      const { chosen, any, mean } = bestOf(attempts, 3);
      expect(chosen?.success).toBeLessThanOrEqual(any.success);
      expect(mean).toBeLessThanOrEqual(any.success + 1e-12);
      const solvedByAll = attempts.filter((each) => each.slice(0, 3).every(({ success }) => success)).length;
      expect(chosen?.success ?? 0).toBeGreaterThanOrEqual(
        attempts.length === 0 ? 0 : solvedByAll / attempts.length - 1e-12,
      );
    }),
  );
});

test('confidence is the mean log-probability of a policy’s own tokens', () => {
  const turn = (index: number, logprobs?: number[]) =>
    ({ index, ...(logprobs && { sample: { tokens: logprobs.map(() => 1), logprobs, policyVersion: 0 } }) }) as Turn;
  const episode = (turns: Turn[], fork?: Episode['fork']) => ({ turns, fork }) as Episode;
  expect(confidence(episode([turn(0, [-1, -2]), turn(1), turn(2, [-6])]))).toBe(-3);
  expect(confidence(episode([turn(0, [-1, -2]), turn(1, [-6])], { episode: 'a', turn: 1 }))).toBe(-6);
  expect(confidence(episode([turn(0)]))).toBeUndefined();
});
