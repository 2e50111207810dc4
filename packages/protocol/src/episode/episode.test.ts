import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Episode, Sample, type SampledAfter, promptTokens, promptsOf } from './episode.js';
import { fuzz } from '../fuzz.test.fixture.js';

const ids = fc.array(fc.nat(3), { maxLength: 6 });

test('the prompts of an episode come back as they were, whatever they have in common', () => {
  const turnPlans = fc.array(fc.record({ prompt: ids, grows: fc.boolean(), tokens: ids, known: fc.boolean() }), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(turnPlans, (plans) => {
      let before: SampledAfter | undefined;
      const whole: (number[] | undefined)[] = [];
      const turns = plans.map(({ prompt, grows, tokens, known }, index): Episode['turns'][number] => {
        const next = grows && before ? [...before.prompt, ...before.tokens, ...prompt] : prompt;
        const sample = {
          ...{ tokens, logprobs: tokens.map(() => 0), policyVersion: 0 },
          ...(known && { prompt: promptTokens(next, before) }),
        };
        before = known ? { prompt: next, tokens } : undefined;
        whole.push(known ? next : undefined);
        return {
          index,
          actions: [],
          reward: 0,
          sample,
          observation: { screenshot: 'a', size: { width: 1, height: 1 } },
        };
      });
      expect(promptsOf({ turns })).toEqual(whole);
    }),
    fuzz(100),
  );
});

test('a prompt that keeps more than its predecessor had is unknown', () => {
  const turn = { index: 0, actions: [], reward: 0, observation: { screenshot: 'a', size: { width: 1, height: 1 } } };
  const sample = { tokens: [], logprobs: [], policyVersion: 0, prompt: { kept: 1, tokens: [2] } };
  expect(promptsOf({ turns: [{ ...turn, sample }] })).toEqual([undefined]);
});

test.each([
  [5, ['tokens']],
  [null, ['tokens']],
  [{ length: 1 }, ['tokens']],
  [
    [1, -1],
    ['tokens', 1],
  ],
  [
    [1, 2, 0.5],
    ['tokens', 2],
  ],
  [[NaN], ['tokens', 0]],
  [['1'], ['tokens', 0]],
  [[2 ** 60], ['tokens', 0]],
  [new Array(2), ['tokens', 0]],
])('tokens cannot be %j, and it is said which is wrong', (tokens, path) => {
  const { error } = Sample.safeParse({ tokens, logprobs: [-0.5], policyVersion: 0 });
  expect(error?.issues.map((issue) => issue.path)).toEqual([path]);
});

test('log-probabilities are finite numbers of any sign', () => {
  const sample = { tokens: [0, 7], logprobs: [-1e-9, 0], policyVersion: 0 };
  expect(Sample.parse(sample)).toEqual(sample);
  for (const wrong of [-Infinity, NaN, '0', undefined]) {
    const { error } = Sample.safeParse({ ...sample, logprobs: [0, wrong] });
    expect(error?.issues.map(({ path }) => path)).toEqual([['logprobs', 1]]);
  }
});
