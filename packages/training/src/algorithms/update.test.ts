import { type NativeDatum, type NativeForwardBackward, Random } from '@gyre/engine';
import { describe, expect, it, vi } from 'vitest';
import { type Episode, GyreError } from '@gyre/protocol';
import { Baseline } from '../advantages/baseline.js';
import { behaviourWeights } from './correction.js';
import { type UpdateOptions, estimateTargets, updatePolicy } from './update.js';
import { criticValues } from './ppo.js';
import { divergences } from '../advantages/divergence.js';
import { random, rollout, screenshot, tokens, wait } from '../rollouts/rollout.test.fixture.js';
import { mean } from '../metrics/statistics.js';
import { type Rollout, decisionRewards } from '../advantages/targets.js';
import { engineOf } from './tinyEngine.test.fixture.js';
import { pretrainValue } from '../value/value.js';

const options: UpdateOptions = {
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
  const advantagesIn = (...args: Parameters<typeof estimateTargets>): number[] =>
    estimateTargets(...args).map(({ sequence }) => sequence.advantages?.[0] ?? NaN);

  it('compares Monte-Carlo returns with those of other episodes of the family, and scales them by family', () => {
    const rollouts = [
      rollout('maze', [-0.02, 1], [wait, wait]),
      rollout('maze', [-0.02, -0.02], [wait, wait]),
      rollout('click', [1], [wait]),
      rollout('click', [0], [wait]),
    ];
    const targets = estimateTargets(rollouts, options);
    expect(targets.map((target) => target.return)).toEqual(
      [0.98, 1, -0.04, -0.02, 1, 0].map((value) => expect.closeTo(value, 6)),
    );
    // The other's mean is -.03; its turns differ by -.01 and .01, of which half counts.
    const maze = [0.98 + 0.035, 1 + 0.025, -0.04 - 0.985, -0.02 - 0.995];
    const scale = Math.sqrt(maze.reduce((sum, value) => sum + value ** 2 / 4, 0));
    expect(advantagesIn(rollouts, options)).toEqual(
      [...maze.map((value) => value / scale), 1, -1].map((value) => expect.closeTo(value, 5)),
    );
  });

  it('does not blame hard tasks for what only easy ones earn', () => {
    const alike = (count: number, reward: number, difficulty: number) =>
      Array.from({ length: count }, () => rollout('maze', [reward], [wait], { difficulty }));
    const [poor, rich] = [
      rollout('maze', [0.7], [wait], { difficulty: 1 }),
      rollout('maze', [0.2], [wait], { difficulty: 5 }),
    ];
    const advantages = advantagesIn([...alike(9, 1, 1), ...alike(9, 0, 5), poor, rich], options);
    expect(advantages.at(-2)).toBeLessThan(0);
    expect(advantages.at(-1)).toBeGreaterThan(0);
  });

  it('remembers what episodes of earlier updates earned: one alone is compared with them', () => {
    const baseline = new Baseline();
    const won = rollout('maze', [0, 1], [wait, wait]);
    expect(advantagesIn([won], options, { baseline })[0]).toBeGreaterThan(0.9);
    for (let update = 0; update < 4; update++) advantagesIn([won, won], options, { baseline });
    const [again, lost] = [won, rollout('maze', [0, 0], [wait, wait])].map((one) =>
      advantagesIn([one], options, { baseline: new Baseline(baseline.state()) }),
    );
    for (const advantage of again ?? []) expect(Math.abs(advantage)).toBeLessThan(0.01);
    for (const advantage of lost ?? []) expect(advantage).toBeLessThan(-1);
  });

  it('leaves out episodes that were cut or ended by the infrastructure, from targets and baselines alike', () => {
    const ended = (of: Rollout, end: Episode['end']): Rollout => ({ ...of, episode: { ...of.episode, end } });
    const whole = [rollout('maze', [1], [wait], { task: 'a' }), rollout('maze', [0], [wait], { task: 'a' })];
    const masked = [
      ended(rollout('maze', [9], [wait], { task: 'a' }), { state: 'infra_error', message: 'x' }),
      ended(rollout('maze', [-7], [wait], { task: 'a' }), { state: 'cut' }),
    ];
    const values = [[9], [0.5], [9], [0.4]];
    for (const advantage of [
      { kind: 'none' },
      { kind: 'group', normalise: false, leaveOneOut: false },
      { kind: 'critic', lambdaCritic: 1, lambdaPolicy: 1 },
    ] satisfies UpdateOptions['advantage'][]) {
      const terms = { ...options, advantage };
      const without = estimateTargets(whole, terms, { values: [[0.5], [0.4]] });
      const [won, lost] = whole as [Rollout, Rollout];
      const [broken, cut] = masked as [Rollout, Rollout];
      expect(estimateTargets([broken, won, cut, lost], terms, { values })).toEqual(without);
    }
  });

  it('takes an episode that ran out of its budget as ended: nothing is added behind its last turn', () => {
    const finished = rollout('maze', [0, 0.5], [wait, wait]);
    const spent: Rollout = { ...finished, episode: { ...finished.episode, end: { state: 'out_of_budget' } } };
    const critic = { ...options, advantage: { kind: 'critic', lambdaCritic: 1, lambdaPolicy: 0.5 } } as const;
    expect(estimateTargets([spent], options)).toEqual(estimateTargets([finished], options));
    expect(estimateTargets([spent], critic, { values: [[0.3, 0.4]] })).toEqual(
      estimateTargets([finished], critic, { values: [[0.3, 0.4]] }),
    );
  });

  it('counts decisions: a turn that is none is no step of time, and its reward is that of the decision before', () => {
    const gap = rollout('maze', [9, 1, 2, 4], [wait, wait, wait, wait]);
    // Turn 0 is copied, turn 2 has no decision.
    const forked: Rollout = { ...gap, decisions: gap.decisions.filter(({ turn }) => turn === 1 || turn === 3) };
    expect([...decisionRewards(forked)]).toEqual([3, 4]);
    const terms = { gamma: 0.5, advantage: { kind: 'critic', lambdaCritic: 1, lambdaPolicy: 0 } } as const;
    const targets = estimateTargets([forked], terms, { values: [[1, 2]] });
    expect(targets.map((target) => target.return)).toEqual([5, 4]);
    // r + V' / 2 - V: 3 and 2.
    const ratio = (targets[0]?.sequence.advantages?.[0] ?? NaN) / (targets[1]?.sequence.advantages?.[0] ?? NaN);
    expect(ratio).toBeCloseTo(1.5, 6);
    expect(
      estimateTargets([forked], { gamma: 0.5, advantage: { kind: 'none' } }).map((target) => target.return),
    ).toEqual([5, 4]);
  });

  it('uses the values of a critic with a lambda of its own for policy and critic', () => {
    const [first, second] = estimateTargets(
      [rollout('maze', [0, 1], [wait, wait])],
      { gamma: 1, advantage: { kind: 'critic', lambdaCritic: 1, lambdaPolicy: 0 } },
      { values: [[0.5, 0.7]] },
    );
    // Lambda 1: the return is the sum of rewards. Lambda 0: the advantages are .2 and .3.
    expect([first?.return, second?.return]).toEqual([expect.closeTo(1, 6), expect.closeTo(1, 6)]);
    const scale = Math.sqrt((0.2 ** 2 + 0.3 ** 2) / 2);
    expect(first?.sequence.advantages?.[0]).toBeCloseTo(0.2 / scale, 4);
    expect(second?.sequence.advantages?.[0]).toBeCloseTo(0.3 / scale, 4);
  });

  it('adapts lambda to the length in decisions, the steps of its estimate, however many tokens say them', () => {
    const adaptive = (alpha: number) => ({ kind: 'critic', lambdaCritic: 1, lambdaPolicy: { alpha } }) as const;
    const fixed = (lambda: number) => ({ kind: 'critic', lambdaCritic: 1, lambdaPolicy: lambda }) as const;
    const long = { tokens: [...wait.tokens, ...wait.tokens], logprobs: [...wait.logprobs, ...wait.logprobs] };
    const values = [[0.1, 0.5, 0.2, 0.9]];
    for (const action of [wait, long]) {
      const episode = [rollout('maze', [0, 0, 0, 1], [action, action, action, action])];
      // 1 - 1 / (0.5 * 4) = 0.5; with alpha 0.05 it is clamped to 0.
      for (const [alpha, lambda] of [[0.5, 0.5] as const, [0.05, 0] as const])
        expect(advantagesIn(episode, { gamma: 0.9, advantage: adaptive(alpha) }, { values })).toEqual(
          advantagesIn(episode, { gamma: 0.9, advantage: fixed(lambda) }, { values }),
        );
    }
  });

  it('is cut into equal minibatches: no step is made of a remainder', async () => {
    const learner = engineOf();
    const learnt = vi.spyOn(learner, 'forwardBackward');
    const rollouts = Array.from({ length: 17 }, (_, i) => rollout('click', [i % 2], [wait]));
    await updatePolicy(learner, rollouts, { ...options, minibatch: 8, epochs: 2 }, random);
    expect(learnt.mock.calls.map(([{ data }]) => data.length)).toEqual([8, 9, 8, 9]);
  });

  it('tells the entropy of the policy as it was before the update', async () => {
    const learner = engineOf();
    const rollouts = Array.from({ length: 8 }, (_, i) => rollout('click', [i % 2], [wait]));
    const data = rollouts.flatMap(({ decisions }) => decisions.map(({ datum }) => datum));
    const entropies = (await learner.forward(data)).entropies.flat(2);
    const learnt = vi.spyOn(learner, 'forwardBackward');
    const update = await updatePolicy(
      learner,
      rollouts,
      { ...options, minibatch: 1, epochs: 1, learningRate: 0.05 },
      random,
    );
    expect(update.entropy).toBeCloseTo(mean(entropies), 6);
    const during = await Promise.all(learnt.mock.results.map(({ value }) => value as Promise<NativeForwardBackward>));
    expect(Math.abs(mean(during.flatMap((result) => result.entropies.flat(2))) - update.entropy!)).toBeGreaterThan(
      1e-3,
    );
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
      if (update) await updatePolicy(learner, rollouts, options, random);
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
      await updatePolicy(learner, rollouts, { ...options, entropy }, new Random(1));
      const { entropies } = await learner.forward(
        rollouts.flatMap(({ decisions }) => decisions.map(({ datum }) => datum)),
      );
      const values = entropies.flat(2);
      return values.reduce((sum, nats) => sum + nats, 0) / values.length;
    };
    const [none, some] = [await entropyAfter(0), await entropyAfter(1)];
    expect(some).toBeGreaterThan(none);
  });

  it('starts an epoch at ratio 1: the log-probabilities of sampling are those of training', async () => {
    const learner = engineOf();
    const sampled = await learner.sample([{ input: { screenshots: [screenshot], tokens }, temperature: 1, seed: 1 }]);
    const rollouts = sampled.map((sample) => rollout('click', [1], [sample]));
    const update = await updatePolicy(learner, rollouts, { ...options, epochs: 1 }, random);
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
  const advantages = (advantage: UpdateOptions['advantage']) =>
    estimateTargets(attempts, { gamma: 0.5, advantage }).map(({ sequence }) => sequence.advantages?.[0]);

  it('compare the attempts at a task with each other, undiscounted, all turns of one alike', () => {
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
  const stay: UpdateOptions = { ...options, epochs: 1, learningRate: 1e-3 };
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
    const first = await updatePolicy(plain, rollouts, stay, new Random(3));
    const second = await updatePolicy(corrected, rollouts, { ...stay, behaviourCap: 5 }, new Random(3));
    expect(second).toEqual({ ...first, behaviour: { weight: 1, capped: 0 } });
    expect(corrected.parameters.data).toEqual(plain.parameters.data);
    expect(first.staleness).toEqual({ 0: 8 });
  });

  it('count by the quotient of the policies, cut off at the cap; ratios begin at 1 again', async () => {
    const learner = engineOf();
    const samples = await sampledBy(learner);
    const factor = (i: number) => (i < 4 ? 2 : 9);
    const older = samples.map((sample, i) => ({
      ...sample,
      logprobs: sample.logprobs.map((logprob, t) => (t === 0 ? logprob - Math.log(factor(i)) : logprob)),
      policyVersion: -3,
    }));
    const update = await updatePolicy(learner, rolloutsOf(older), { ...stay, behaviourCap: 5 }, random);
    const firsts = 4 * 2 + 4 * 5;
    const rest = update.tokens - 8;
    expect(update.behaviour?.weight).toBeCloseTo((firsts + rest) / update.tokens, 4);
    expect(update.behaviour?.capped).toBeCloseTo(4 / update.tokens, 9);
    expect(update.staleness).toEqual({ 3: 8 });
    expect([update.ratioLow, update.ratioHigh]).toEqual([expect.closeTo(1, 4), expect.closeTo(1, 4)]);
    const uncorrected = await updatePolicy(engineOf(), rolloutsOf(older), stay, random);
    expect(uncorrected.ratioHigh).toBeCloseTo(9, 2);
    expect(uncorrected.clippedHigh).toBeCloseTo(8 / update.tokens, 9);
  });

  it('are not corrected by a cap below 1, nor where numbers are missing', () => {
    expect(() => behaviourWeights([0], [0], 0.5)).toThrow(GyreError);
    expect(() => behaviourWeights([0], [0, 0], 5)).toThrow(GyreError);
  });

  it('may be none: then nothing is learnt', async () => {
    const update = await updatePolicy(engineOf(), [], { ...stay, behaviourCap: 5 }, random);
    expect(update).toMatchObject({ decisions: 0, tokens: 0, kl: NaN, staleness: {} });
  });

  it('imitates what succeeded, beside the clipped surrogate', async () => {
    const learner = engineOf();
    const samples = await sampledBy(learner);
    const equal = samples.map((sample, i) => rollout('click', [1], [sample], { success: i === 0 }));
    const likely = async () => {
      const data = equal.slice(0, 1).flatMap(({ decisions }) => decisions.map(({ datum }): NativeDatum => datum));
      return (await learner.forward(data)).logprobs[0]?.[0]?.reduce((sum, logprob) => sum + logprob, 0) ?? NaN;
    };
    const before = await likely();
    const update = await updatePolicy(learner, equal, { ...stay, imitation: 0.1 }, random);
    expect(update.imitationLoss).toBeCloseTo(-before / (samples[0]?.tokens.length ?? NaN), 4);
    expect(await likely()).toBeGreaterThan(before);
  });

  it('imitates every token of what succeeded alike, however many others are in its minibatch', async () => {
    const learner = engineOf();
    const learnt = vi.spyOn(learner, 'forwardBackward');
    const rollouts = Array.from({ length: 12 }, (_, i) => rollout('click', [1], [wait], { success: i < 5 }));
    await updatePolicy(learner, rollouts, { ...stay, imitation: 0.1, minibatch: 4 }, new Random(2));
    const imitated = learnt.mock.calls.flatMap(([{ data, loss }]) =>
      loss.name === 'cross_entropy' ? [{ decisions: data.length, weight: loss.weight ?? NaN }] : [],
    );
    expect(new Set(imitated.map(({ decisions }) => decisions)).size).toBeGreaterThan(1);
    // Each decision has 3 / 5 of the weight in a step's mean.
    for (const { decisions, weight } of imitated) expect(weight / decisions).toBeCloseTo((0.1 * 3) / 5, 9);
  });

  it('takes the divergence from a reference from the rewards', async () => {
    const [learner, reference] = [engineOf(), engineOf()];
    const samples = await sampledBy(learner);
    const same = await divergences(reference, rolloutsOf(samples));
    for (const [turn] of same) expect(turn).toBeCloseTo(0, 4);
    // Twice as likely as under the reference: log 2 nats.
    const nearer = samples.map((sample) => ({
      ...sample,
      logprobs: sample.logprobs.map((logprob, t) => (t === 0 ? logprob + Math.LN2 : logprob)),
    }));
    const rollouts = rolloutsOf(nearer);
    const apart = await divergences(reference, rollouts);
    for (const [turn] of apart) expect(turn).toBeCloseTo(Math.LN2, 4);
    const penalties = apart.map((turns) => turns.map((nats) => 10 * nats));
    const targets = estimateTargets(rollouts, options, { penalties });
    expect(targets[1]?.return).toBeCloseTo(1 - 10 * Math.LN2, 3);
    const update = await updatePolicy(
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
    const update = await updatePolicy(
      learner,
      rollouts,
      {
        ...options,
        advantage: { kind: 'critic', lambdaCritic: 1, lambdaPolicy: 0.95 },
        critic: { engine: critic, learningRate: 1e-3, valueClip: 0.2, epochs: 2 },
      },
      random,
    );
    expect(Math.abs(update.valueCorrelation ?? NaN)).toBeLessThan(1e-3);
    expect(update.explainedVariance).toBeLessThan(1e-3);
  });

  it('is measured by the rewards that followed, not by returns that hold its own values', () => {
    const [first] = estimateTargets(
      [rollout('maze', [0, 1], [wait, wait])],
      { gamma: 1, advantage: { kind: 'critic', lambdaCritic: 0, lambdaPolicy: 1 } },
      { values: [[5, 7]] },
    );
    expect([first?.return, first?.monteCarloReturn]).toEqual([7, 1]);
  });

  it('goes through the decisions in as many epochs as it is given, the policy in all', async () => {
    const [learner, critic] = [engineOf(), engineOf({ role: 'critic' })];
    const steps = { learner: vi.spyOn(learner, 'optimStep'), critic: vi.spyOn(critic, 'optimStep') };
    await updatePolicy(
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
    // Only the clock tells the remaining reward.
    const rollouts = Array.from({ length: 40 }, () => rollout('maze', [1, 1, 1], [wait, wait, wait]));
    let previous = critic.parameters.data.slice();
    const epochs = await pretrainValue(
      critic,
      rollouts,
      { learningRate: 3e-3, minibatch: 16, maxEpochs: 25, patience: 5, heldOut: 0.2, gamma: 1, freezeEncoder: true },
      {
        save: () => {
          previous = critic.parameters.data.slice();
          return Promise.resolve();
        },
        restore: () => {
          critic.parameters.data.set(previous);
          return Promise.resolve();
        },
      },
      random,
    );
    const best = Math.max(...epochs.map(({ heldOutExplainedVariance }) => heldOutExplainedVariance));
    expect(best).toBeGreaterThan(0.8);
    const values = (await criticValues(critic, rollouts.slice(0, 1))).flat();
    expect(values).toEqual([3, 2, 1].map((value) => expect.closeTo(value, 0)));
  });
});
