import { GyreError } from '@gyre/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decoupledGae, gae, groupAdvantages, lengthAdaptiveLambda, returns, spreadOverTokens } from './advantage.js';
import { mean } from '../metrics/statistics.js';

const real = fc.double({ min: -10, max: 10, noNaN: true });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const steps = fc.array(fc.tuple(real, real), { minLength: 1, maxLength: 60 });

function expectClose(actual: ArrayLike<number>, expected: readonly number[]): void {
  expect(actual.length).toBe(expected.length);
  for (const [i, want] of expected.entries()) {
    expect(Math.abs(actual[i]! - want)).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(want)));
  }
}

function gaeBySum(rewards: number[], values: number[], bootstrap: number, gamma: number, lambda: number): number[] {
  const following = [...values.slice(1), bootstrap];
  const deltas = rewards.map((reward, t) => reward + gamma * following[t]! - values[t]!);
  return deltas.map((_, t) => deltas.slice(t).reduce((sum, delta, k) => sum + (gamma * lambda) ** k * delta, 0));
}

function returnsBySum(rewards: number[], gamma: number, bootstrap: number): number[] {
  return rewards.map((_, t) => {
    const rest = rewards.slice(t);
    return rest.reduce((sum, reward, k) => sum + gamma ** k * reward, 0) + gamma ** rest.length * bootstrap;
  });
}

describe('returns', () => {
  it.each([
    ['undiscounted', [0, 0, 1], 1, 0, [1, 1, 1]],
    ['a cost per move and a goal', [-0.02, -0.02, 1], 1, 0, [0.96, 0.98, 1]],
    ['discounted', [1, 2, 4], 0.5, 0, [3, 4, 4]],
    ['with a value at the end', [1, 0], 0.5, 8, [3, 4]],
    ['of nothing', [], 1, 0, []],
  ])('%s', (_, rewards, gamma, bootstrap, expected) => {
    expectClose(returns(rewards, gamma, bootstrap), expected);
  });

  it('agree with the sum', () => {
    fc.assert(
      fc.property(fc.array(real, { maxLength: 60 }), share, real, (rewards, gamma, bootstrap) => {
        expectClose(returns(Float64Array.from(rewards), gamma, bootstrap), returnsBySum(rewards, gamma, bootstrap));
      }),
    );
  });
});

describe('gae', () => {
  const rewards = [0, 0, 1];
  const values = [0.2, 0.4, 0.6];

  it.each([
    // deltas at gamma 1: 0.2, 0.2, 0.4
    ['one-step differences at lambda 0', 1, 0, 0, [0.2, 0.2, 0.4]],
    ['return minus value at lambda 1', 1, 1, 0, [0.8, 0.6, 0.4]],
    ['between at lambda 0.5', 1, 0.5, 0, [0.4, 0.4, 0.4]],
    // deltas at gamma 0.5: 0, -0.1, 0.4; decay 0.25
    ['discounted', 0.5, 0.5, 0, [0, 0, 0.4]],
    ['with a value after the last step', 1, 0, 0.5, [0.2, 0.2, 0.9]],
  ])('%s', (_, gamma, lambda, bootstrap, expected) => {
    expectClose(gae({ rewards, values, bootstrap, gamma, lambda }), expected);
  });

  it('agrees with the sum', () => {
    fc.assert(
      fc.property(steps, real, share, share, (pairs, bootstrap, gamma, lambda) => {
        const rewards = pairs.map(([reward]) => reward);
        const values = pairs.map(([, value]) => value);
        expectClose(
          gae({ rewards, values, bootstrap, gamma, lambda }),
          gaeBySum(rewards, values, bootstrap, gamma, lambda),
        );
      }),
    );
  });

  // Two turns of two tokens; a turn's reward arrives in its observation. token a b o o c d o
  const tokens = {
    rewards: [0, 0, 1, 0, 0, 0, 2],
    values: [1, 2, 50, -50, 1, 3, 9],
    mask: [1, 1, 0, 0, 1, 1, 0],
  };

  it('goes across a gap between turns as if it were not there', () => {
    // deltas: 0; -0.5; 0.5; -1, then from the end with decay 0.25.
    const estimates = gae({ ...tokens, gamma: 0.5, lambda: 0.5 });
    expectClose(estimates, [-0.109375, -0.4375, 0, 0, 0.25, -1, 0]);
    const both = decoupledGae({ ...tokens, gamma: 0.5, lambdaPolicy: 0.5, lambdaCritic: 1 });
    expect(both.advantages).toEqual(estimates);
    expectClose(both.returns, [0.75, 1.5, 0, 0, 1, 2, 0]);
  });

  it('drops rewards before the first own token', () => {
    expectClose(gae({ rewards: [7, 1], values: [0, 0], mask: [0, 1], gamma: 1, lambda: 1 }), [0, 1]);
  });

  it('refuses a value too many, and a mask too short', () => {
    expect(() => gae({ rewards, values: [...values, 0], gamma: 1, lambda: 1 })).toThrow(GyreError);
    expect(() => gae({ rewards, values, mask: [1], gamma: 1, lambda: 1 })).toThrow(GyreError);
  });
});

describe('decoupledGae', () => {
  it('gives the policy its lambda and the critic its own', () => {
    const { advantages, returns: targets } = decoupledGae({
      rewards: [0, 0, 1],
      values: [0.2, 0.4, 0.6],
      gamma: 1,
      lambdaPolicy: 0.5,
      lambdaCritic: 1,
    });
    expectClose(advantages, [0.4, 0.4, 0.4]);
    expectClose(targets, [1, 1, 1]);
  });

  it('is plain GAE where both are equal, and its targets are Monte-Carlo returns at lambda 1', () => {
    fc.assert(
      fc.property(steps, real, share, share, (pairs, bootstrap, gamma, lambda) => {
        const rewards = pairs.map(([reward]) => reward);
        const values = pairs.map(([, value]) => value);
        const input = { rewards, values, bootstrap, gamma };
        const same = decoupledGae({ ...input, lambdaPolicy: lambda, lambdaCritic: lambda });
        const plain = gae({ ...input, lambda });
        expect(same.advantages).toEqual(plain);
        expectClose(
          same.returns,
          gaeBySum(rewards, values, bootstrap, gamma, lambda).map((advantage, t) => advantage + values[t]!),
        );
        const monteCarlo = decoupledGae({ ...input, lambdaPolicy: lambda, lambdaCritic: 1 });
        expectClose(monteCarlo.returns, returnsBySum(rewards, gamma, bootstrap));
      }),
    );
  });
});

describe('lengthAdaptiveLambda', () => {
  it.each([
    [100, 0.05, 0.8],
    [400, 0.05, 0.95],
    [1000, 0.05, 0.98],
    [10_000, 0.05, 0.998],
    [20, 0.05, 0],
    [5, 0.05, 0],
    [0, 0.05, 0],
    [10, 1, 0.9],
  ])('of %i steps at alpha %f is %f', (length, alpha, lambda) => {
    expect(lengthAdaptiveLambda(length, alpha)).toBeCloseTo(lambda, 12);
  });

  it('makes the weights of an endless sequence sum to alpha times the length', () => {
    expect(1 / (1 - lengthAdaptiveLambda(300, 0.1))).toBeCloseTo(30, 9);
  });
});

describe('groupAdvantages', () => {
  const sampleStd = Math.sqrt(1 / 3); // of 0, 0, 1, 1

  it('compares each attempt with its group', () => {
    const unit = 0.5 / (sampleStd + 1e-6);
    expectClose(groupAdvantages([0, 0, 1, 1]), [-unit, -unit, unit, unit]);
    expectClose(groupAdvantages([0, 0, 1, 1], { normalise: false }), [-0.5, -0.5, 0.5, 0.5]);
  });

  it('compares with the other attempts only for leave-one-out', () => {
    expectClose(groupAdvantages([0, 0, 1, 1], { normalise: false, leaveOneOut: true }), [-2 / 3, -2 / 3, 2 / 3, 2 / 3]);
  });

  it.each([
    ['one', [1], [0], [0]],
    ['two', [1, 0], [0.5, -0.5], [1, -1]],
    ['three', [1, 0, 0], [2 / 3, -1 / 3, -1 / 3], [1, -0.5, -0.5]],
  ])(
    'of a group of %s the mean of all takes a share that the mean of the others does not',
    (_, rewards, normalised, leftOut) => {
      expectClose(groupAdvantages(rewards, { normalise: false }), normalised);
      expectClose(groupAdvantages(rewards, { normalise: false, leaveOneOut: true }), leftOut);
    },
  );

  it('is 0 if all are equal, or for a single attempt', () => {
    expect([...groupAdvantages([1, 1, 1])]).toEqual([0, 0, 0]);
    expect([...groupAdvantages([1])]).toEqual([0]);
  });

  it('agrees with the definition', () => {
    fc.assert(
      fc.property(fc.array(real, { minLength: 2, maxLength: 16 }), fc.boolean(), (rewards, leaveOneOut) => {
        const baseline = (i: number) => mean(leaveOneOut ? rewards.filter((_, other) => other !== i) : rewards);
        expectClose(
          groupAdvantages(rewards, { normalise: false, leaveOneOut }),
          rewards.map((reward, i) => reward - baseline(i)),
        );
      }),
    );
  });
});

describe('spreadOverTokens', () => {
  it('repeats the advantage of a turn for each of its tokens', () => {
    expect([...spreadOverTokens([1, -2, 3], [2, 0, 3])]).toEqual([1, 1, 3, 3, 3]);
  });

  it('refuses other numbers of turns', () => {
    expect(() => spreadOverTokens([1], [1, 1])).toThrow(GyreError);
  });
});
