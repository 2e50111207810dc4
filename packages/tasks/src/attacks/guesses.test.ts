import { BrowserPool, Sandbox } from '@gyre/sandbox';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChatCompletionsDouble } from '../browsing/answers/serviceDouble/chatCompletions.test.fixture.js';
import { setUpTask } from '../family/environment.js';
import type { TaskFamily } from '../family/family.js';
import { familyOf } from '../family/suites.js';
import { playBlind } from './blindModel.js';
import { guessResult, playGuesses, upperTail } from './guesses.js';
import { type AttackTargets, playAttacks } from './playAttack.js';
import { policyAttacks } from './policies.js';

let targets: AttackTargets;
beforeAll(async () => {
  targets = { pool: await BrowserPool.launch({ browsers: 1 }), sandbox: await Sandbox.start({ isolation: 'none' }) };
});
afterAll(() => Promise.all([targets.pool.close(), targets.sandbox.close()]));

const count = familyOf('map.countKind') as TaskFamily;
const answerOf = (seed: number) => (count.create('test', seed).page.argument as { answer: string }).answer;
/** Has the same answer for every seed, and declares that none is common. */
const guessable: TaskFamily = { ...count, chance: 0.01, create: (split) => count.create(split, 0) };

test('the tail counts all outcomes', () => {
  fc.assert(
    fc.property(fc.nat(8), fc.nat(9), fc.double({ min: 0, max: 1, noNaN: true }), (n, k, p) => {
      let expected = 0;
      for (let outcome = 0; outcome < 2 ** n; outcome++) {
        const successes = Array.from({ length: n }, (_, i) => (outcome >> i) & 1).reduce((a, b) => a + b, 0);
        if (successes >= k) expected += p ** successes * (1 - p) ** (n - successes);
      }
      expect(upperTail(k, n, p)).toBeCloseTo(expected, 9);
    }),
  );
});

test('luck is not held against a family', () => {
  expect(guessResult({ name: 'a' }, 'always "3"', 1, 6, 22).resisted).toBe(true);
  expect(guessResult({ name: 'a', chance: 0.5 }, 'always "yes"', 5, 6, 22).resisted).toBe(true);
  expect(guessResult({ name: 'a' }, 'always "3"', 5, 6, 22).resisted).toBe(false);
});

test('an answer that is always the same is found; answers that differ are not', async () => {
  const guesses = await playGuesses(targets, guessable, 0, 2);
  expect(guesses.filter(({ resisted }) => !resisted)).toMatchObject([
    { family: 'map.countKind', rule: `always "${answerOf(0)}"`, tasks: 2, successes: 2, chance: 0.01 },
  ]);
  expect((await playGuesses(targets, count, 0, 2)).every(({ resisted }) => resisted)).toBe(true);
  expect(await playGuesses(targets, familyOf('click'), 0, 2)).toEqual([]);
}, 120_000);

test('a model that knows the description only is judged by the same chance', async () => {
  const server = await ChatCompletionsDouble.start();
  try {
    const right = `I guess:\n[{"type":"hotkey","keys":"end"},{"type":"finished","answer":"${answerOf(0)}"}]`;
    server.reply(...Array.from({ length: 4 }, () => right), answerOf(0), ...Array.from({ length: 5 }, () => '99'));
    const options = { url: server.url, model: 'blind' };
    const result = await playBlind(targets, guessable, 0, 5, options);
    expect(result).toMatchObject({ tasks: 5, successes: 5, resisted: false });
    const [{ body }] = server.requests as [(typeof server.requests)[0]];
    expect(body.messages.at(-1)?.content).toBe(count.create('test', 0).task.instruction);
    expect(await playBlind(targets, guessable, 0, 5, options)).toMatchObject({ successes: 0, resisted: true });
  } finally {
    await server.stop();
  }
}, 60_000);

test('a task that pays for nothing is found', async () => {
  const click = familyOf('click') as TaskFamily;
  const generous: TaskFamily = {
    ...click,
    start: async (session, instance) => {
      const verifier = await setUpTask(session, instance, click);
      let turns = 0;
      const step: typeof verifier.step = async (finished) => {
        const result = await verifier.step(finished);
        return { ...result, reward: result.reward + (++turns === 2 ? 0.1 : 0) };
      };
      return { ...verifier, step };
    },
  };
  const resisted = async (family: TaskFamily) =>
    (await playAttacks(targets, family, 1, policyAttacks)).map((result) => result.resisted);
  expect(await resisted(click)).toEqual([true, true]);
  expect(await resisted(generous)).toEqual([false, true]);
}, 60_000);
