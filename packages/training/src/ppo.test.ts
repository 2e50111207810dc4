import { type Random } from '@gyre/engine';
import { describe, expect, it } from 'vitest';
import { type PpoOptions, updatePpo } from './ppo.js';
import { engineOf, random, rollout, screenshot, tokens, wait } from './rollout.test.fixture.js';
import { advantagesOf, valuesOf } from './targets.js';
import { pretrainValue } from './value.js';

const options: PpoOptions = {
  learningRate: 3e-3,
  clipLow: 0.2,
  clipHigh: 0.28,
  epochs: 2,
  minibatch: 16,
  gamma: 1,
  advantage: { kind: 'none' },
  freezeEncoder: true,
};

describe('PPO', () => {
  it('whitens Monte-Carlo returns within each family', () => {
    const targets = advantagesOf(
      [
        rollout('maze', [-0.02, 1], [wait, wait]),
        rollout('maze', [-0.02, -0.02], [wait, wait]),
        rollout('click', [1], [wait]),
        rollout('click', [0], [wait]),
      ],
      options,
    );
    expect(targets.map((target) => target.return)).toEqual(
      [0.98, 1, -0.04, -0.02, 1, 0].map((value) => expect.closeTo(value, 6)),
    );
    const advantages = targets.map(({ sequence }) => sequence.advantages?.[0] ?? NaN);
    // Less the mean of its turn: .51, .51, -.51, -.51; and .5, -.5.
    expect(advantages).toEqual([1, 1, -1, -1, 1, -1].map((value) => expect.closeTo(value, 3)));
  });

  it('uses the values of a critic with a lambda of its own for policy and critic', () => {
    const [first, second] = advantagesOf(
      [rollout('maze', [0, 1], [wait, wait])],
      {
        gamma: 1,
        advantage: { kind: 'critic', lambdaCritic: 1, lambdaPolicy: 0 },
      },
      [[0.5, 0.7]],
    );
    // Lambda 1: the return is the sum of rewards. Lambda 0: the advantages are r + V' - V = .2 and .3, whitened -1 and 1.
    expect([first?.return, second?.return]).toEqual([expect.closeTo(1, 6), expect.closeTo(1, 6)]);
    expect(first?.sequence.advantages?.[0]).toBeCloseTo(-1, 4);
    expect(second?.sequence.advantages?.[0]).toBeCloseTo(1, 4);
  });

  it('makes what was rewarded likely, from rewards alone', async () => {
    const learner = engineOf('policy');
    const hit = async (update: boolean): Promise<number> => {
      const requests = Array.from({ length: 64 }, (_, seed) => ({
        input: { screenshots: [screenshot], tokens },
        temperature: 1,
        seed: seed + 1000 * random.int(1000),
      }));
      const sampled = await learner.sample(requests);
      const good = sampled.map(({ tokens: [head] }) => (head ?? 0) % 2 === 0);
      const rollouts = sampled.map((sample, i) => rollout('click', [good[i] ? 1 : 0], [sample]));
      if (update) await updatePpo(learner, rollouts, options, random);
      return good.filter(Boolean).length / good.length;
    };
    const before = await hit(true);
    for (let i = 0; i < 12; i++) await hit(true);
    expect(await hit(false)).toBeGreaterThan(Math.max(0.8, before + 0.1));
  });

  it('starts an epoch at ratio 1: the log-probabilities of sampling are those of training', async () => {
    const learner = engineOf('policy');
    const sampled = await learner.sample([{ input: { screenshots: [screenshot], tokens }, temperature: 1, seed: 1 }]);
    const rollouts = sampled.map((sample) => rollout('click', [1], [sample]));
    const update = await updatePpo(learner, rollouts, { ...options, epochs: 1 }, random);
    expect(update.kl).toBeLessThan(1e-6);
  });
});

describe('value pretraining', () => {
  it('stops at the best held-out explained variance and keeps those weights', async () => {
    const critic = engineOf('critic');
    // The clock is all that tells how much is still to come.
    const rollouts = Array.from({ length: 40 }, () => rollout('maze', [1, 1, 1], [wait, wait, wait]));
    let kept = critic.parameters.data.slice();
    const epochs = await pretrainValue(
      critic,
      rollouts,
      { learningRate: 3e-3, minibatch: 16, maxEpochs: 25, patience: 5, heldOut: 0.2, gamma: 1, freezeEncoder: true },
      {
        save: () => {
          kept = critic.parameters.data.slice();
          return Promise.resolve();
        },
        restore: () => {
          critic.parameters.data.set(kept);
          return Promise.resolve();
        },
      },
      random,
    );
    const best = Math.max(...epochs.map(({ heldOutExplainedVariance }) => heldOutExplainedVariance));
    expect(best).toBeGreaterThan(0.8);
    const values = (await valuesOf(critic, rollouts.slice(0, 1))).flat();
    expect(values).toEqual([3, 2, 1].map((value) => expect.closeTo(value, 0)));
  });
});
