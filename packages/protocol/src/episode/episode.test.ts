import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Episode, Sample, type SampledAfter, Turn, promptTokens, promptsOf } from './episode.js';
import { Review } from './review.js';
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

const text = fc.string({ minLength: 1, maxLength: 8 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const present = <T extends object>(record: T) => JSON.parse(JSON.stringify(record)) as T;
const actions = fc.array(fc.constantFrom({ type: 'wait' } as const, { type: 'type', text: 'a' } as const), {
  maxLength: 2,
});
const mark = fc.record({ label: maybe(text), comment: maybe(text), bad: maybe(fc.boolean()) });
const annotated = fc.record({
  by: maybe(text),
  candidates: maybe(
    fc.array(
      fc.record({
        ...{ thought: maybe(text), actions, samples: fc.integer({ min: 1, max: 9 }), chosen: fc.boolean() },
        ...{ logprob: maybe(fc.double({ min: -99, max: 0, noNaN: true })), policyVersion: maybe(fc.nat()) },
      }),
      { maxLength: 3 },
    ),
  ),
  edited: maybe(fc.record({ thought: fc.string({ maxLength: 5 }), actions: maybe(actions) })),
  audio: maybe(
    fc
      .record({ fromMs: fc.nat(999), length: fc.nat(999), transcript: maybe(text), hasMore: fc.boolean() })
      .map(({ fromMs, length, hasMore, ...rest }) => {
        const clip = { hash: 'a'.repeat(64), fromMs, toMs: fromMs + length };
        return { ...clip, ...(hasMore && { more: [clip] }), ...rest };
      }),
  ),
  mark: maybe(mark),
});
const plain = {
  index: 0,
  actions: [],
  reward: 0,
  observation: { screenshot: 'a'.repeat(64), size: { width: 1, height: 1 } },
};

test('what people did in a turn is optional, and comes back through JSON as it was', () => {
  fc.assert(
    fc.property(annotated, (person) => {
      const turn = present({ ...plain, ...person });
      expect(Turn.parse(turn)).toEqual(turn);
    }),
    fuzz(200),
  );
  expect(Turn.parse(plain)).toEqual(plain);
});

test('a review comes back through JSON as it was', () => {
  const review = fc.record({
    ...{ episode: text, by: text, at: fc.constant('2026-11-30T19:00:00.000Z'), success: fc.boolean() },
    ...{
      verdict: fc.constantFrom('accept', 'return'),
      reason: maybe(text),
      lastGoodTurn: maybe(fc.integer({ min: -1, max: 9 })),
    },
    turns: maybe(fc.array(fc.record({ turn: fc.nat(9), mark }), { maxLength: 3 })),
  });
  fc.assert(
    fc.property(review, (value) => {
      expect(Review.parse(present(value))).toEqual(present(value));
    }),
    fuzz(200),
  );
});

test.each([
  ['edited', {}, []],
  ['audio', { hash: 'a'.repeat(64), fromMs: 2, toMs: 1 }, ['toMs']],
  ['audio', { hash: 'a.webm', fromMs: 0, toMs: 1 }, ['hash']],
  ['audio', { hash: 'a'.repeat(64), fromMs: 0, toMs: 1, more: [] }, ['more']],
  ['at', 'noon', []],
  ['candidates', [{ actions: [], samples: 0, chosen: false }], [0, 'samples']],
  ['candidates', [{ actions: [], samples: 1 }], [0, 'chosen']],
  ['mark', { comment: '' }, ['comment']],
  ['by', '', []],
])('%s of a turn cannot be %j', (name, value, path) => {
  const { error } = Turn.safeParse({ ...plain, [name]: value });
  expect(error?.issues.map((issue) => issue.path)).toEqual([[name, ...path]]);
});
