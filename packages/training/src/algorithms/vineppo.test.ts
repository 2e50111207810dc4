import { describe, expect, it } from 'vitest';
import { segmentAdvantages } from '../advantages/advantage.js';
import { rollout, wait } from '../rollouts/rollout.test.fixture.js';
import { estimateTargets } from './update.js';
import { expectForkable } from './vineppo.js';

describe('segments', () => {
  it("of one step have the advantage r + gamma V' - V", () => {
    const advantages = segmentAdvantages({ rewards: [0, 0.5, 1], values: [0.4, 0.6, 0.8], gamma: 0.5 });
    expect([...advantages]).toEqual([-0.1, 0.3, 0.2].map((value) => expect.closeTo(value, 6)));
  });

  it('share the advantage of their first step, and end at the next value', () => {
    const values = [0.2, undefined, 0.6, undefined, undefined];
    const advantages = segmentAdvantages({ rewards: [1, 2, 0, 0, 4], values, gamma: 0.5 });
    // 1 + 2 / 2 + 0.6 / 4 - 0.2 = 1.95, and 4 / 4 - 0.6 = 0.4.
    expect([...advantages]).toEqual([1.95, 1.95, 0.4, 0.4, 0.4].map((value) => expect.closeTo(value, 6)));
  });

  it('of an episode with one value have its return minus the value', () => {
    expect([...segmentAdvantages({ rewards: [1, 1], values: [0.5, undefined], gamma: 1 })]).toEqual([1.5, 1.5]);
    expect([...segmentAdvantages({ rewards: [], values: [], gamma: 1 })]).toEqual([]);
  });

  it('need a first value, and one per reward', () => {
    expect(() => segmentAdvantages({ rewards: [1, 1], values: [undefined, 1], gamma: 1 })).toThrow(
      expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field: 'values' }) as object }),
    );
    expect(() => segmentAdvantages({ rewards: [1], values: [], gamma: 1 })).toThrow(/1 rewards but 0 values/);
  });
});

it('compares segments with values of the rollout, scaled by family', () => {
  const values = new Map([
    [0, 0.5],
    [2, 0.75],
  ]);
  const valued = { ...rollout('maze', [0, 0, 1], [wait, wait, wait]), values };
  const targets = estimateTargets([valued], { gamma: 1, advantage: { kind: 'vineppo' } });
  // 0.75 - 0.5 in two decisions and 1 - 0.75 in one; a single episode has nothing to be centred on.
  expect(targets.map(({ sequence }) => sequence.advantages?.[0])).toEqual([1, 1, 1].map((x) => expect.closeTo(x, 5)));
  expect(targets.map((target) => target.monteCarloReturn)).toEqual([1, 1, 1]);
});

it.each([
  ['families', { families: ['tabs', 'shell.readAndType'], ppo: { advantage: 'vineppo', kl: 0 } }],
  ['ppo.kl', { families: ['tabs'], ppo: { advantage: 'vineppo', kl: 0.1 } }],
])('refuses %s that it cannot train with', (field, settings) => {
  expect(() => {
    expectForkable(settings);
  }).toThrow(expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field }) as object }));
  expect(() => {
    expectForkable({ ...settings, ppo: { ...settings.ppo, advantage: 'none' } });
  }).not.toThrow();
});
