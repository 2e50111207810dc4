import type { Action, Episode } from '@gyre/protocol';
import type { Frame } from '@gyre/sandbox';
import { expect, test } from 'vitest';
import { forkOf } from './fork.js';
import { frameOf } from './frame.test.fixture.js';
import type { Context, PastTurn, Policy } from '../policy/policy.js';

const size = { width: 160, height: 160 };
const frame = (number: number): Frame => frameOf(new Uint8Array([number]), size);
const observation = (number: number) => ({ screenshot: frame(number).hash, size });
const press = (x: number): Action => ({ type: 'click', point: { x, y: 0.5 } });

const episode: Episode = {
  id: 'first',
  task: {
    ...{ id: 'click/test/7', family: 'click', split: 'test', seed: 7, instruction: 'press "ok"', surfaces: ['screen'] },
    ...{ screen: size, stepBudget: 6 },
  },
  ...{ policy: 'one', purpose: 'eval', seed: 3, startedAt: '2026-11-22T10:00:00Z', observation: observation(0) },
  turns: [
    {
      ...{
        index: 0,
        thought: 'left',
        actions: [press(0.1)],
        text: 'press left',
        observation: observation(1),
        reward: 0.5,
      },
      sample: { tokens: [4, 5], logprobs: [-0.1, -0.2], policyVersion: 9 },
    },
    {
      index: 1,
      actions: [],
      observation: { ...observation(1), results: [{ kind: 'malformed', text: 'not understood' }] },
      reward: 0,
    },
    { index: 2, actions: [press(0.3)], observation: observation(3), reward: 0 },
    { index: 3, actions: [{ type: 'finished' }], observation: observation(3), reward: 0 },
  ],
  end: { state: 'finished' },
};

function policy(name: string): Policy & { contexts: Context[] } {
  const contexts: Context[] = [];
  return {
    ...{ name, contexts },
    decide: (context) => {
      contexts.push(context);
      return Promise.resolve({ actions: [press(0.9)] });
    },
  };
}

function contextAfter(turns: number, more: readonly PastTurn[] = []): Context {
  const past = episode.turns.slice(0, turns).map(({ reward: _, ...turn }): PastTurn => turn);
  return {
    ...{ task: { ...episode.task }, turns: [...past, ...more], random: () => 0.5, episodeId: 'second' },
    start: episode.observation,
    screenshots: [frame([0, 1, 1, 3, 3][turns]!)],
  };
}

const decided = (forked: ReturnType<typeof forkOf>, context: Context) => {
  if ('solve' in forked.policy) throw new Error('it was an oracle');
  return forked.policy.decide(context);
};

test('the first turns are decided as they were, samples included, and the others by the policy', async () => {
  const otherPolicy = policy('two');
  const forked = forkOf(episode, 2, otherPolicy);
  expect(forked.fork).toEqual({ episode: 'first', turn: 2 });
  expect(forked.policy.name).toBe('two');
  const { actions, thought, text, sample } = episode.turns[0]!;
  expect(await decided(forked, contextAfter(0))).toEqual({ actions, thought, text, sample });
  expect(await decided(forked, contextAfter(1))).toEqual({ actions: [], refused: 'not understood' });
  expect(otherPolicy.contexts).toEqual([]);
  expect(await decided(forked, contextAfter(2))).toEqual({ actions: [press(0.9)] });
  const ownTurn: PastTurn = { index: 2, actions: [press(0.9)], text: 'mine', observation: observation(8) };
  await decided(forked, contextAfter(2, [ownTurn]));
  // Other policies' text may be in another language.
  expect(otherPolicy.contexts[1]?.turns.map((turn) => turn.text)).toEqual([undefined, undefined, 'mine']);
  expect(otherPolicy.contexts[1]?.turns[0]).toMatchObject({ thought: 'left', sample });
});

test('a policy of the same name goes on with its own words', async () => {
  const same = policy('one');
  await decided(forkOf(episode, 1, same), contextAfter(1));
  expect(same.contexts[0]?.turns[0]?.text).toBe('press left');
});

test('an oracle goes on from where the turns have led', async () => {
  const { policy: oracle } = forkOf(episode, 1, { name: 'oracle', solve: (solution) => solution.oracle() });
  if (!('solve' in oracle)) throw new Error('it was no oracle');
  const solution = { oracle: () => Promise.resolve({ actions: [press(0.7)] }) };
  expect(await oracle.solve(solution, contextAfter(0))).toMatchObject({ actions: [press(0.1)] });
  expect(await oracle.solve(solution, contextAfter(1))).toEqual({ actions: [press(0.7)] });
});

test.each([
  [0, 'the first screen differs from the recording of episode first'],
  [1, 'the screen after turn 1 differs from the recording of episode first'],
  [2, 'the screen after turn 2 differs from the recording of episode first'],
])('another screen after %i turns is an error that names the turn', async (turns, message) => {
  const otherPolicy = policy('two');
  const context = { ...contextAfter(turns), screenshots: [frame(99)] };
  await expect(decided(forkOf(episode, 2, otherPolicy), context)).rejects.toThrow(message);
  expect(otherPolicy.contexts).toEqual([]);
});

test.each([4, 5, -1, 1.5])('it cannot be forked after turn %s', (turn) => {
  expect(() => forkOf(episode, turn, policy('two'))).toThrow(
    expect.objectContaining({ code: 'bad_input', detail: { field: 'turn', fix: 'use a turn from 0 to 3' } }),
  );
});

test('what was cut goes on after its last turn, while turns are left', () => {
  expect(forkOf({ ...episode, end: { state: 'cut' } }, 4, policy('two')).fork.turn).toBe(4);
  const task = { ...episode.task, stepBudget: 4 };
  expect(() => forkOf({ ...episode, task, end: { state: 'cut' } }, 4, policy('two'))).toThrow(/cannot fork episode/);
});
