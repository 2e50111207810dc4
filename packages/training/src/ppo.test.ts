import { type Datum, Random } from '@gyre/engine';
import { describe, expect, it, vi } from 'vitest';
import { GyreError } from '@gyre/protocol';
import { behaviourWeights } from './correction.js';
import { type PpoOptions, updatePpo } from './ppo.js';
import { random, rollout, screenshot, tokens, wait } from './rollout.test.fixture.js';
import { advantagesOf, divergences, valuesOf } from './targets.js';
import { engineOf } from './tinyEngine.test.fixture.js';
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

  it('does not blame hard tasks for what only easy ones earn', () => {
    const easy = [
      rollout('maze', [0, 1], [wait, wait], { difficulty: 1 }),
      rollout('maze', [1], [wait], { difficulty: 1 }),
    ];
    const hard = [rollout('maze', [0.2], [wait], { difficulty: 5 }), rollout('maze', [0], [wait], { difficulty: 5 })];
    const advantages = advantagesOf([...easy, ...hard], options).map(({ sequence }) => sequence.advantages?.[0] ?? NaN);
    // Less the mean of their difficulty: 0, 0, 0 and .1, -.1. What the turns have in common is 0.
    expect(advantages).toEqual([0, 0, 0, 1.581, -1.581].map((value) => expect.closeTo(value, 2)));
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
    const learner = engineOf();
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

  it('makes the policy less certain by a bonus for entropy, and by nothing else where nothing is rewarded', async () => {
    const entropyAfter = async (entropy: number): Promise<number> => {
      const learner = engineOf();
      const requests = Array.from({ length: 8 }, (_, seed) => ({
        ...{ input: { screenshots: [screenshot], tokens }, temperature: 1, seed },
      }));
      const rollouts = (await learner.sample(requests)).map((sample) => rollout('click', [0], [sample]));
      await updatePpo(learner, rollouts, { ...options, entropy }, new Random(1));
      const { entropies } = await learner.forward(
        rollouts.flatMap(({ decisions }) => decisions.map(({ datum }) => datum)),
      );
      const all = entropies.flat(2);
      return all.reduce((sum, nats) => sum + nats, 0) / all.length;
    };
    const [none, some] = [await entropyAfter(0), await entropyAfter(1)];
    expect(some).toBeGreaterThan(none);
  });

  it('starts an epoch at ratio 1: the log-probabilities of sampling are those of training', async () => {
    const learner = engineOf();
    const sampled = await learner.sample([{ input: { screenshots: [screenshot], tokens }, temperature: 1, seed: 1 }]);
    const rollouts = sampled.map((sample) => rollout('click', [1], [sample]));
    const update = await updatePpo(learner, rollouts, { ...options, epochs: 1 }, random);
    expect(update.kl).toBeLessThan(1e-6);
  });
});

describe('groups', () => {
  const group = { kind: 'group', normalise: false, leaveOneOut: false } as const;
  const attempts = [
    rollout('maze', [-0.5, 1], [wait, wait], { task: 'a' }),
    rollout('click', [1], [wait], { task: 'b' }),
    rollout('maze', [-0.5], [wait], { task: 'a' }),
    rollout('click', [1], [wait], { task: 'b' }),
  ];
  const advantages = (advantage: PpoOptions['advantage']) =>
    advantagesOf(attempts, { gamma: 0.5, advantage }).map(({ sequence }) => sequence.advantages?.[0]);

  it('compare the attempts at a task with each other, undiscounted, all turns of one alike', () => {
    // Totals of a: 0.5 and -0.5; of b: twice 1. The targets come family by family.
    expect(advantages(group)).toEqual([0.5, 0.5, -0.5, 0, 0]);
    const half = Math.SQRT1_2 / (1 + 1e-6 * Math.SQRT2);
    const normalised = advantages({ ...group, normalise: true });
    expect(normalised).toEqual([half, half, -half, 0, 0].map((value) => expect.closeTo(value, 5)));
  });

  it('or with the others alone', () => {
    expect(advantages({ ...group, leaveOneOut: true })).toEqual([1, 1, -1, 0, 0]);
  });
});

describe('tokens of older weights', () => {
  const stay: PpoOptions = { ...options, epochs: 1, learningRate: 1e-3 };
  /** Eight decisions as an engine with these weights samples them, and weights after an update with them. */
  const sampledBy = async (learner: ReturnType<typeof engineOf>) =>
    learner.sample(
      Array.from({ length: 8 }, (_, seed) => ({
        input: { screenshots: [screenshot], tokens, clock: 0 },
        temperature: 1,
        seed,
      })),
    );
  const rolloutsOf = (samples: Awaited<ReturnType<typeof sampledBy>>) =>
    samples.map((sample, i) => rollout('click', [i % 2], [sample], { success: i % 2 === 1 }));

  it('are corrected by nothing, bit for bit, where they are of these weights', async () => {
    const [plain, corrected] = [engineOf(), engineOf()];
    const rollouts = rolloutsOf(await sampledBy(plain));
    const first = await updatePpo(plain, rollouts, stay, new Random(3));
    const second = await updatePpo(corrected, rollouts, { ...stay, behaviourCap: 5 }, new Random(3));
    expect(second).toEqual({ ...first, behaviour: { weight: 1, capped: 0 } });
    expect(corrected.parameters.data).toEqual(plain.parameters.data);
    expect(first.staleness).toEqual({ 0: 8 });
  });

  it('count by the quotient of the policies, cut off at the cap; ratios begin at 1 again', async () => {
    const learner = engineOf();
    const samples = await sampledBy(learner);
    // As if other weights had sampled them: half of them half as likely as now, half nine times less.
    const factor = (i: number) => (i < 4 ? 2 : 9);
    const older = samples.map((sample, i) => ({
      ...sample,
      logprobs: sample.logprobs.map((logprob, t) => (t === 0 ? logprob - Math.log(factor(i)) : logprob)),
      policyVersion: -3,
    }));
    const update = await updatePpo(learner, rolloutsOf(older), { ...stay, behaviourCap: 5 }, random);
    const firsts = 4 * 2 + 4 * 5;
    const rest = update.tokens - 8;
    expect(update.behaviour?.weight).toBeCloseTo((firsts + rest) / update.tokens, 4);
    expect(update.behaviour?.capped).toBeCloseTo(4 / update.tokens, 9);
    expect(update.staleness).toEqual({ 3: 8 });
    expect([update.ratioLow, update.ratioHigh]).toEqual([expect.closeTo(1, 4), expect.closeTo(1, 4)]);
    const uncorrected = await updatePpo(engineOf(), rolloutsOf(older), stay, random);
    expect(uncorrected.ratioHigh).toBeCloseTo(9, 2);
    expect(uncorrected.clippedHigh).toBeCloseTo(8 / update.tokens, 9);
  });

  it('are not corrected by a cap below 1, nor where numbers are missing', () => {
    expect(() => behaviourWeights([0], [0], 0.5)).toThrow(GyreError);
    expect(() => behaviourWeights([0], [0, 0], 5)).toThrow(GyreError);
  });

  it('may be none: then nothing is learnt', async () => {
    const update = await updatePpo(engineOf(), [], { ...stay, behaviourCap: 5 }, random);
    expect(update).toMatchObject({ decisions: 0, tokens: 0, kl: NaN, staleness: {} });
  });

  it('imitates what succeeded, beside the clipped surrogate', async () => {
    const learner = engineOf();
    const samples = await sampledBy(learner);
    // Of equal rewards nothing is to be learnt but by imitation.
    const equal = samples.map((sample, i) => rollout('click', [1], [sample], { success: i === 0 }));
    const likely = async () => {
      const data = equal.slice(0, 1).flatMap(({ decisions }) => decisions.map(({ datum }): Datum => datum));
      return (await learner.forward(data)).logprobs[0]?.[0]?.reduce((sum, logprob) => sum + logprob, 0) ?? NaN;
    };
    const before = await likely();
    const update = await updatePpo(learner, equal, { ...stay, imitation: 0.1 }, random);
    expect(update.imitationLoss).toBeCloseTo(-before / (samples[0]?.tokens.length ?? NaN), 4);
    expect(await likely()).toBeGreaterThan(before);
  });

  it('takes the divergence from a reference from the rewards', async () => {
    const [learner, reference] = [engineOf(), engineOf()];
    const samples = await sampledBy(learner);
    const same = await divergences(reference, rolloutsOf(samples));
    for (const [turn] of same) expect(turn).toBeCloseTo(0, 4);
    // Twice as likely as the reference finds them: log 2 nats away.
    const nearer = samples.map((sample) => ({
      ...sample,
      logprobs: sample.logprobs.map((logprob, t) => (t === 0 ? logprob + Math.LN2 : logprob)),
    }));
    const rollouts = rolloutsOf(nearer);
    const apart = await divergences(reference, rollouts);
    for (const [turn] of apart) expect(turn).toBeCloseTo(Math.LN2, 4);
    const penalties = apart.map((turns) => turns.map((nats) => 10 * nats));
    const targets = advantagesOf(rollouts, options, undefined, penalties);
    expect(targets[1]?.return).toBeCloseTo(1 - 10 * Math.LN2, 3);
    const update = await updatePpo(
      learner,
      rollouts,
      { ...stay, reference: { engine: reference, weight: 0.1 } },
      random,
    );
    expect(update.divergence).toBeCloseTo(Math.LN2, 4);
  });
});

describe('the critic', () => {
  it('is measured before the update', async () => {
    const [learner, critic] = [engineOf(), engineOf({ role: 'critic' })];
    const rollouts = [rollout('maze', [0, 1], [wait, wait]), rollout('maze', [0, 0], [wait, wait])];
    const update = await updatePpo(
      learner,
      rollouts,
      {
        ...options,
        advantage: { kind: 'critic', lambdaCritic: 1, lambdaPolicy: 0.95 },
        critic: { engine: critic, learningRate: 1e-3, valueClip: 0.2, epochs: 2 },
      },
      random,
    );
    // The same screens earned 1 and 0: whatever the values, they do not tell them apart.
    expect(Math.abs(update.valueCorrelation ?? NaN)).toBeLessThan(1e-3);
    expect(update.explainedVariance).toBeLessThan(1e-3);
  });

  it('goes through the decisions in as many epochs as it is given, the policy in all', async () => {
    const [learner, critic] = [engineOf(), engineOf({ role: 'critic' })];
    const steps = { learner: vi.spyOn(learner, 'optimStep'), critic: vi.spyOn(critic, 'optimStep') };
    await updatePpo(
      learner,
      [rollout('maze', [0, 1], [wait, wait])],
      {
        ...options,
        epochs: 3,
        advantage: { kind: 'critic', lambdaCritic: 1, lambdaPolicy: 0.95 },
        critic: { engine: critic, learningRate: 1e-3, valueClip: 0.2, epochs: 1 },
      },
      random,
    );
    expect(steps.learner).toHaveBeenCalledTimes(3);
    expect(steps.critic).toHaveBeenCalledTimes(1);
  });
});

describe('value pretraining', () => {
  it('stops at the best held-out explained variance and keeps those weights', async () => {
    const critic = engineOf({ role: 'critic' });
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
