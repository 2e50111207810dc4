import { type Engine, EmbeddedEngine, nativePieces, NativeTokenEngine, Random } from '@gyre/engine';
import sharp from 'sharp';
import { describe, expect, it, vi } from 'vitest';
import type { Rollout } from '../advantages/targets.js';
import { engineOf, tiny } from '../algorithms/tinyEngine.test.fixture.js';
import { type UpdateOptions, updatePolicy } from '../algorithms/update.js';
import { rollout, screenshot, tokens } from '../rollouts/rollout.test.fixture.js';
import { CueEngine } from './cueEngine.test.fixture.js';
import { remoteOf, servedRollout } from './served.test.fixture.js';
import { ServedPolicy } from './servedPolicy.js';

const options: UpdateOptions = {
  learningRate: 3e-3,
  clipLow: 0.2,
  clipHigh: 0.28,
  epochs: 2,
  minibatch: 3,
  gamma: 1,
  advantage: { kind: 'none' },
  freezeEncoder: false,
};

describe('a served native policy', () => {
  it('is updated as the embedded engine itself is', async () => {
    const [embedded, behind] = [engineOf(), new EmbeddedEngine({ architecture: tiny, seed: 5, threads: 1 })];
    const { pixels, size, hash } = screenshot;
    const png = await sharp(pixels, { raw: { ...size, channels: 3 } })
      .png()
      .toBuffer();
    const remote = await remoteOf(new NativeTokenEngine({ engine: behind, pixels: async () => pixels }));
    const sampled = await embedded.sample(
      [0, 1, 2, 3, 4, 5].map((seed) => ({
        ...{ input: { screenshots: [screenshot], tokens, clock: 0 }, temperature: 1, seed },
      })),
    );
    const direct = sampled.map((sample, i) => rollout('click', [i % 2], [sample], { success: i % 2 === 1 }));
    const prompt = nativePieces({ pictures: [{ hash, png, size }], tokens, clock: 0 });
    const served = direct.map(({ episode, decisions }): Rollout => ({
      episode,
      decisions: decisions.map((decision) => ({
        ...decision,
        datum: {
          screenshots: [],
          sequences: decision.datum.sequences.map((sequence) => ({ ...sequence, tokens: [], prompt })),
        },
      })),
    }));
    const terms = { ...options, imitation: 0.1, behaviourCap: 2 };
    const expected = await updatePolicy(embedded, direct, terms, new Random(3));
    const policy = new ServedPolicy(remote);
    const update = await updatePolicy(policy, served, terms, new Random(3));
    const { entropy, ...known } = expected;
    expect(entropy).toBeGreaterThan(0);
    expect(update.entropy).toBeUndefined();
    expect(update.decisions).toBe(6);
    expect(update.staleness).toEqual(expected.staleness);
    const names = ['gradientNorm', 'kl', 'ratioLow', 'ratioHigh', 'imitationLoss', 'tokens'] as const;
    for (const name of names) expect(update[name]).toBeCloseTo(known[name]!, 5);
    expect(expected.gradientNorm).toBeGreaterThan(0.01);

    const dataOf = (rollouts: readonly Rollout[]) =>
      rollouts.flatMap(({ decisions }) => decisions.map(({ datum }) => datum));
    const [trained, behindServer] = [await embedded.forward(dataOf(direct)), await policy.forward(dataOf(served))];
    expect(behindServer.logprobs).toEqual(
      trained.logprobs.map((lists) => lists.map((list) => list.map((logprob) => expect.closeTo(logprob, 4)))),
    );
    expect(behindServer.policyVersion).toBe(trained.policyVersion);
  });
});

describe('a served policy', () => {
  const prompt = (cue: number) => [{ tokens: [cue, 7] }];

  async function played(engine: Engine, round: number): Promise<Rollout[]> {
    const requests = Array.from({ length: 16 }, (_, i) => ({
      ...{ input: prompt(i % 2), maxTokens: 1, temperature: 1, seed: 100 * round + i },
    }));
    const sampled = await engine.sample(requests);
    return sampled.map(({ tokens: answer, logprobs }, i) =>
      servedRollout([{ prompt: prompt(i % 2), tokens: answer, logprobs, reward: answer[0] === 3 + (i % 2) ? 1 : 0 }]),
    );
  }

  it('learns the answers that are rewarded', async () => {
    const remote = await remoteOf(new CueEngine());
    const policy = new ServedPolicy(remote);
    const success = (rollouts: readonly Rollout[]) =>
      rollouts.filter(({ episode }) => episode.turns[0]!.reward === 1).length / rollouts.length;
    const first = success(await played(remote, 0));
    const random = new Random(1);
    for (let round = 1; round <= 8; round++) {
      const rollouts = await played(remote, round);
      await updatePolicy(policy, rollouts, { ...options, learningRate: 8, minibatch: 16 }, random);
      await remote.publish();
    }
    const last = success(await played(remote, 99));
    expect(first).toBeLessThan(0.4);
    expect(last).toBeGreaterThan(0.9);
  });

  it('trains turns whose prompts extend one another as one datum, in any order, with weights that sum to 1', async () => {
    const cue = new CueEngine();
    const policy = new ServedPolicy(cue);
    const turn = (ids: number[], action: number[]) => ({
      screenshots: [],
      sequences: [
        {
          tokens: [],
          prompt: [{ tokens: ids }],
          action,
          logprobs: action.map(() => -2),
          advantages: action.map((_, t) => t + 1),
        },
      ],
    });
    const data = [
      turn([1, 7, 2, 3, 6, 4, 5, 7], [1]),
      turn([1, 7], [2, 3]),
      turn([2, 7], [2, 3]),
      turn([1, 7, 2, 3, 6], [4, 5]),
      turn([1, 7], [2, 3]),
    ];
    const forward = vi.spyOn(cue, 'forward');
    const { logprobs } = await policy.forward(data);
    expect(forward.mock.calls[0]?.[0]).toHaveLength(3);
    const alone = await Promise.all(data.map((datum) => policy.forward([datum])));
    expect(logprobs).toEqual(alone.flatMap((each) => each.logprobs));
    const ppo = { name: 'ppo', clipLow: 0.2, clipHigh: 0.2 } as const;
    const result = await policy.forwardBackward({ data, loss: ppo });
    expect(result.logprobs).toEqual(logprobs);
    const [trained] = cue.trained;
    expect(trained!.map(({ weights }) => weights.filter((weight) => weight !== 0)).flat()).toEqual(
      Array.from({ length: 9 }, () => expect.closeTo(1 / 9, 9)),
    );
    expect(trained!.find(({ weights }) => weights.length === 8)?.advantages).toEqual([0, 1, 2, 0, 1, 2, 0, 1]);
    // log 1/8 + 2 is clipped above 0.8 for none: ratios are e^(2 - log 8).
    const ratio = Math.exp(2) / 8;
    expect(result.loss).toBeCloseTo((-Math.min(ratio, 1.2) * (4 * 3 + 1)) / 9, 9);
  });

  it('refuses what its server cannot be told, before it trains', async () => {
    const cue = new CueEngine();
    const policy = new ServedPolicy(cue);
    const rollouts = await played(cue, 0);
    const update = (changed: Partial<UpdateOptions>) =>
      updatePolicy(policy, rollouts, { ...options, ...changed }, new Random(1));
    await expect(update({ dualClip: 3, entropy: 0.01, freezeEncoder: true })).rejects.toMatchObject({
      code: 'bad_input',
      message: 'a served policy cannot be trained with dualClip, entropy, freezeEncoder',
      detail: { fix: expect.stringContaining('trainer.algorithm.policy_loss_type=dual_clip') },
    });
    await expect(policy.optimStep({ learningRate: 1, part: 'stem' })).rejects.toMatchObject({
      ...{ code: 'bad_input', detail: { field: 'part' } },
    });
    const refused = (loss: Parameters<ServedPolicy['forwardBackward']>[0]['loss'], field: string) =>
      expect(policy.forwardBackward({ data: [], loss })).rejects.toMatchObject({
        code: 'bad_input',
        detail: { field },
      });
    await refused({ name: 'letters' }, 'loss');
    await refused({ name: 'ppo_critic', valueClip: 1 }, 'loss');
    await refused({ name: 'cross_entropy', glyphWeight: 1 }, 'loss');
    await expect(
      policy.forward(rollout('click', [1], [{ tokens: [1], logprobs: [-1] }]).decisions.map(({ datum }) => datum)),
    ).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'prompt' } });
    expect(cue.trained).toEqual([]);
    expect(await cue.publish()).toEqual({ policyVersion: 0 });
  });
});
