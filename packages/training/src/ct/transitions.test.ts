import { type Screenshot, vocabularyOf, architectures } from '@gyre/engine';
import type { Action, Episode, Observation } from '@gyre/protocol';
import { expect, test } from 'vitest';
import { transitions } from './transitions.js';

const size = { width: 160, height: 160 };
const vocabulary = vocabularyOf(size);
const seen = (name: string, of = size): Observation => ({ screenshot: name.repeat(64), size: of });
const reader = {
  read: ({ screenshot: hash, size: of }: Observation): Promise<Screenshot> =>
    Promise.resolve({ hash, pixels: new Uint8Array(of.width * of.height * 3), size: of }),
};

function failed(...turns: [Action[], Observation][]): Episode {
  return {
    id: 'e',
    task: {
      ...{ id: 'click/train/1', family: 'click', split: 'train', seed: 1, instruction: 'press it' },
      ...{ surfaces: ['screen'], screen: size, stepBudget: 9 },
    },
    ...{ policy: 'nano', purpose: 'ppo', seed: 1, startedAt: '2026-11-20T14:00:00.000Z', observation: seen('a') },
    turns: turns.map(([actions, observation], index) => ({ index, actions, observation, reward: 0 })),
    end: { state: 'out_of_budget' },
    verdict: { success: false, score: 0, source: 'verifier', evidence: {} },
  };
}

const click: Action = { type: 'click', point: { x: 0.5, y: 0.25 } };

test('a failed episode teaches what its actions did: the screens before and after, and the action', async () => {
  const type: Action = { type: 'type', text: 'ab' };
  const decisions = await transitions(failed([[click], seen('b')], [[type], seen('c')]), reader);
  expect(decisions.map(({ turn, family }) => [turn, family])).toEqual([
    [0, 'click'],
    [1, 'click'],
  ]);
  const screens = decisions.map(({ datum }) => datum.screenshots.map(({ hash }) => hash[0]));
  expect(screens).toEqual([
    ['a', 'b'],
    ['b', 'c'],
  ]);
  expect(screens.every((of) => of.length <= architectures.nano.screenshots)).toBe(true);
  const actions = decisions.map(({ datum }) => vocabulary.decode(datum.sequences[0]?.action ?? []).action);
  expect(actions[1]).toEqual(type);
  expect(actions[0]?.type).toBe('click');
  expect(decisions[0]?.datum.sequences[0]?.weights).toEqual([1, 1, 0.1]);
  expect(decisions[0]?.datum.sequences[0]?.tokens).toHaveLength(1 + 3);
  expect(decisions[0]?.datum.sequences[0]?.tokens).toEqual(decisions[1]?.datum.sequences[0]?.tokens);
});

test('only turns of one action that changed the screen, and that the policy has words for', async () => {
  const odd: Action = { type: 'type', text: '\u{1f600}' };
  const decisions = await transitions(
    failed(
      [[click], seen('a')],
      [[click, click], seen('b')],
      [[{ type: 'wait' }], seen('c')],
      [[odd], seen('d')],
      [[click], seen('e', { width: 320, height: 160 })],
      [[], seen('f')],
      [[click], seen('g')],
    ),
    reader,
  );
  expect(decisions.map(({ turn }) => turn)).toEqual([6]);
  expect(await transitions(failed([[click], seen('b')], [[click], seen('c')]), reader, [1])).toHaveLength(1);
});

test('what a fork has copied is learnt from the episode that it was copied from', async () => {
  const forked: Episode = {
    ...failed([[click], seen('b')], [[click], seen('c')]),
    fork: { episode: 'of which it is a fork', turn: 1 },
  };
  expect((await transitions(forked, reader)).map(({ turn }) => turn)).toEqual([1]);
});
