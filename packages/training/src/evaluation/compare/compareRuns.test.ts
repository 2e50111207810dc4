import { GyreError } from '@gyre/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wilson } from '../../metrics/statistics.js';
import { compareRuns } from './compareRuns.js';
import type { RecordedAttempt } from './recordedAttempts.js';
import { selectRun } from './recordedRun.js';

let episodes = 0;
function attempt(task: string, success: boolean | undefined, change: Partial<RecordedAttempt> = {}): RecordedAttempt {
  const [family = '', , seed] = task.split('/');
  return {
    ...{ episode: `episode ${episodes++}`, task, family, split: 'test', seed: Number(seed) },
    ...{ content: `160x160 ${task}`, stepBudget: 10, policy: 'nano', policySeed: 1, purpose: 'eval' },
    ...{ state: success === undefined ? 'infra_error' : 'finished', success, turns: 3 },
    ...change,
  };
}

const run = (attempts: readonly RecordedAttempt[], name = 'a') => selectRun(name, attempts);

test('tasks are paired by id, and flips name their episodes', () => {
  const before = [attempt('a/test/0', true), attempt('a/test/1', false), attempt('b/test/0', false)];
  const after = [attempt('b/test/0', true), attempt('a/test/1', true), attempt('a/test/0', false)];
  const { overall, families, flips } = compareRuns(run(before), run(after));
  expect(overall).toMatchObject({ tasks: 3, before: wilson(1, 3), after: wilson(2, 3), p: 1 });
  expect(families).toMatchObject([
    { name: 'a', tasks: 2, before: wilson(1, 2), after: wilson(1, 2), difference: { mean: 0 }, p: 1, adjusted: 1 },
    { name: 'b', tasks: 1, before: wilson(0, 1), after: wilson(1, 1), difference: { mean: 1 } },
  ]);
  expect(flips).toEqual({
    gained: [
      { task: 'a/test/1', before: before[1]!.episode, after: after[1]!.episode },
      { task: 'b/test/0', before: before[2]!.episode, after: after[0]!.episode },
    ],
    lost: [{ task: 'a/test/0', before: before[0]!.episode, after: after[2]!.episode }],
  });
});

test('unpaired, changed and unjudged tasks are not compared, but named', () => {
  const before = [
    ...[
      attempt('a/test/0', true),
      attempt('a/test/1', true),
      attempt('a/test/2', true),
      attempt('a/test/3', undefined),
    ],
    attempt('a/test/4', undefined),
    attempt('a/test/4', false),
    attempt('a/test/6', undefined, { state: 'cut' }),
    attempt('a/test/7', undefined, { state: 'finished' }),
  ];
  const after = [
    ...[attempt('a/test/0', true), attempt('a/test/2', true, { content: 'new words' }), attempt('a/test/3', true)],
    attempt('a/test/4', true, { stepBudget: 20 }),
    attempt('a/test/5', true),
  ];
  const compared = compareRuns(run(before), run(after));
  expect(compared.overall).toMatchObject({ tasks: 2, before: wilson(1, 2), after: wilson(2, 2) });
  expect(compared.unpaired).toEqual({
    ...{ onlyBefore: ['a/test/1'], onlyAfter: ['a/test/3', 'a/test/5'], changed: ['a/test/2'] },
  });
  expect(compared.otherBudgets).toEqual(['a/test/4']);
  expect(compared.before).toMatchObject({
    ...{ attempts: 4, infraErrors: 2, cut: 1, unjudged: 1, lostTasks: ['a/test/3', 'a/test/6', 'a/test/7'] },
  });
});

test('repetitions give pass@k and pass^k, and their tasks still count once', () => {
  const repeated = (task: string, outcomes: readonly boolean[]) =>
    outcomes.map((success, policySeed) => attempt(task, success, { policySeed }));
  const before = [...repeated('a/test/0', [true, false, false, false]), ...repeated('a/test/1', [true, true])];
  const after = [...repeated('a/test/0', [true, true]), attempt('a/test/1', true), attempt('a/test/1', true)];
  const compared = compareRuns(run(before), run(after));
  expect(compared.overall).toMatchObject({ tasks: 2, before: { success: 5 / 8 }, after: { success: 1 } });
  expect(compared.before.passAt).toMatchObject([
    { k: 1, tasks: 2, any: { success: 5 / 8 }, every: { success: 5 / 8 } },
    { k: 2, tasks: 2, any: { success: (1 / 2 + 1) / 2 }, every: { success: 1 / 2 } },
    { k: 4, tasks: 1, any: { success: 1 }, every: { success: 0 } },
  ]);
  expect([compared.before.mixedTasks, compared.after.mixedTasks]).toEqual([1, 0]);
  expect([compared.before.repeatedSeeds, compared.after.repeatedSeeds]).toEqual([0, 1]);
  expect(compared.flips.gained).toHaveLength(1);
});

test('success within a number of turns ends at the success rate', () => {
  const attempts = fc.array(fc.record({ success: fc.boolean(), turns: fc.integer({ min: 1, max: 9 }) }), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(attempts, attempts, (first, second) => {
      const recorded = (outcomes: typeof first) =>
        run(outcomes.map(({ success, turns }, i) => attempt(`a/test/${i}`, success, { turns })));
      const { solvedWithin, overall } = compareRuns(recorded(first), recorded(second));
      for (const side of ['before', 'after'] as const) {
        const shares = solvedWithin.map((row) => row[side].success);
        expect(shares).toEqual([...shares].sort((a, b) => a - b));
        expect(shares.at(-1) ?? 0).toBe(overall[side].success);
        const outcomes = { before: first, after: second }[side].slice(0, overall.tasks);
        for (const row of solvedWithin) {
          const solved = outcomes.filter(({ success, turns }) => success && turns <= row.turns).length;
          expect(row[side].success).toBeCloseTo(solved / overall.tasks, 12);
        }
      }
    }),
  );
});

test('new instances, new templates and new families are compared apart', () => {
  const tasks = ['mail.star/train/1', 'mail.star/test/1', 'mail.move/test/1', 'shop.buy/test/1', 'shop.add/test/1'];
  const trained = new Map([['mail.star', new Set(['mail.star/train/1'])]]);
  const [before, after] = [false, true].map((success) => run(tasks.map((task) => attempt(task, success))));
  const { novelty } = compareRuns(before!, after!, trained);
  expect(novelty).toMatchObject([
    { name: 'trained tasks', tasks: 1 },
    { name: 'new instances', tasks: 1 },
    { name: 'new templates', tasks: 1 },
    { name: 'new families', tasks: 2, before: wilson(0, 2), after: wilson(2, 2) },
  ]);
  expect(compareRuns(before!, after!)).not.toHaveProperty('novelty');
});

test.each([
  ['several policies', [attempt('a/test/0', true), attempt('a/test/0', true, { policy: 'random' })], 'a:policy=random'],
  [
    'several purposes',
    [attempt('a/test/0', true), attempt('a/test/1', true, { purpose: 'eval start' })],
    'a:purpose=eval start',
  ],
  ['step budgets', [attempt('a/test/0', true), attempt('a/test/0', true, { stepBudget: 5 })], 'a:budget=5'],
])('a run of %s is refused, with what to choose', (words, attempts, choice) => {
  const refusal = expect.objectContaining({ code: 'bad_input', message: expect.stringContaining(words) });
  expect(() => run(attempts)).toThrow(refusal);
  expect(() => run(attempts)).toThrow(
    expect.objectContaining({ detail: expect.objectContaining({ fix: expect.stringContaining(choice) }) }),
  );
});

test('runs without a common task are refused', () => {
  const first = run([attempt('a/test/0', true)]);
  expect(() => compareRuns(first, run([attempt('a/dev/0', true)], 'b'))).toThrow(GyreError);
  expect(() => compareRuns(first, run([attempt('a/test/0', true, { content: 'new' })], 'b'))).toThrow(
    /other instructions or screens/,
  );
});

test('copies of an episode count once', () => {
  const attempts = [attempt('a/test/0', true), attempt('a/test/1', false)];
  expect(run([...attempts, ...attempts]).attempts).toEqual(attempts);
});

test('a filter chooses policy, split, budget and families', () => {
  const attempts = [
    ...[attempt('mail.a/test/0', true), attempt('mail.b/dev/0', true, { split: 'dev' })],
    ...[attempt('shop/test/0', true, { policy: 'random' }), attempt('mailbox/test/0', true, { stepBudget: 5 })],
  ];
  const families = (filter: Parameters<typeof selectRun>[2]) =>
    selectRun('a', attempts, filter).attempts.map(({ family }) => family);
  expect(families({ policy: 'nano', families: ['mail.*'] })).toEqual(['mail.a', 'mail.b']);
  expect(families({ policy: 'random' })).toEqual(['shop']);
  expect(families({ split: 'dev' })).toEqual(['mail.b']);
  expect(families({ budget: 5 })).toEqual(['mailbox']);
  expect(() => families({ policy: 'oracle' })).toThrow(/no evaluation in a matches/);
});
