import { EmbeddedEngine, nativePieces, NativeTokenEngine, Random } from '@gyre/engine';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { criticValues } from '../algorithms/ppo.js';
import { tiny } from '../algorithms/tinyEngine.test.fixture.js';
import { updatePolicy } from '../algorithms/update.js';
import { tokens, vocabulary } from '../rollouts/rollout.test.fixture.js';
import { pretrainValue } from '../value/value.js';
import { CueEngine } from './cueEngine.test.fixture.js';
import { remoteOf, servedRollout } from './served.test.fixture.js';
import { ServedCritic } from './servedCritic.js';
import { ServedPolicy } from './servedPolicy.js';

const yesOrNo = { question: [6, 7], yes: [2], no: [3] };
const first = { prompt: [{ tokens: [0, 5] }], tokens: [1], logprobs: [-2] };
const second = { prompt: [{ tokens: [1, 5] }], tokens: [1], logprobs: [-2] };
const rollouts = Array.from({ length: 8 }, () => [
  servedRollout([{ ...first, reward: 0.8 }]),
  servedRollout([{ ...second, reward: 0.2 }]),
]).flat();
const pretraining = {
  ...{ learningRate: 6, minibatch: 16, maxEpochs: 20, patience: 20, heldOut: 0.25, gamma: 1 },
  freezeEncoder: false,
};

it('learns the returns of two prompts, and restores the best epoch', async () => {
  const remote = await remoteOf(new CueEngine());
  const critic = new ServedCritic({ engine: remote, ...yesOrNo });
  expect((await criticValues(critic, rollouts)).flat()).toEqual(rollouts.map(() => expect.closeTo(0.5, 6)));
  const best = { save: () => remote.save('best').then(() => undefined), restore: () => remote.load('best') };
  const epochs = await pretrainValue(critic, rollouts, pretraining, best, new Random(1));
  expect(epochs.at(-1)!.loss).toBeLessThan(epochs[0]!.loss);
  expect(Math.max(...epochs.map((epoch) => epoch.heldOutExplainedVariance))).toBeGreaterThan(0.99);
  const values = await criticValues(critic, rollouts.slice(0, 2));
  expect(values).toEqual([[expect.closeTo(0.8, 1)], [expect.closeTo(0.2, 1)]]);
});

it('learns the returns of two screenshots, by a native policy that answers', async () => {
  const size = { width: 32, height: 32 };
  const engine = new EmbeddedEngine({ architecture: tiny, seed: 5, threads: 1 });
  const pixels = async ({ png }: { png: Uint8Array }) =>
    new Uint8Array(await sharp(png).removeAlpha().raw().toBuffer());
  const remote = await remoteOf(new NativeTokenEngine({ engine, pixels }));
  const [yes, no] = ['yes', 'no'].map((answer) => vocabulary.encode({ type: 'finished', answer }));
  const critic = new ServedCritic({ engine: remote, question: [], yes: yes!, no: no! });
  const decisionOf = async (background: string, target: number) => {
    const png = await sharp({ create: { ...size, channels: 3, background } })
      .png()
      .toBuffer();
    const prompt = nativePieces({ pictures: [{ hash: background, png, size }], tokens, clock: 0 });
    return { screenshots: [], sequences: [{ tokens: [], prompt, action: [1], return: target }] };
  };
  const data = [await decisionOf('#ff0000', 0.8), await decisionOf('#0000ff', 0.2)];
  for (let step = 0; step < 60; step++) {
    await critic.forwardBackward({ data, loss: { name: 'ppo_critic', valueClip: 1e9 } });
    await critic.optimStep({ learningRate: 1e-2 });
  }
  const values = (await critic.forward(data)).values.flat();
  expect(values).toEqual([expect.closeTo(0.8, 1), expect.closeTo(0.2, 1)]);
});

it('trains beside a served policy', async () => {
  const [policy, served] = [new CueEngine(), new CueEngine()];
  const critic = new ServedCritic({ engine: served, ...yesOrNo });
  const update = await updatePolicy(
    new ServedPolicy(policy),
    rollouts,
    {
      ...{ learningRate: 0.1, clipLow: 0.2, clipHigh: 0.2, epochs: 30, minibatch: 8, gamma: 1, freezeEncoder: false },
      advantage: { kind: 'critic', lambdaCritic: 1, lambdaPolicy: 1 },
      critic: { engine: critic, learningRate: 4, valueClip: 0.1, epochs: 30 },
    },
    new Random(1),
  );
  expect(update.explainedVariance).toBeCloseTo(0, 6);
  const [high, low] = (await criticValues(critic, rollouts.slice(0, 2))).flat();
  // The clip bounds what an update learns.
  expect(high).toBeCloseTo(0.6, 2);
  expect(low).toBeCloseTo(0.4, 2);
  expect(served.trained[0]![0]!.weights.at(-1)).toBeCloseTo(0.6 / 8, 1);
});

it('answers by several tokens, over another range of returns', async () => {
  const cue = new CueEngine();
  const critic = new ServedCritic({ engine: cue, question: [], yes: [2, 4], no: [3], range: { low: -1, high: 3 } });
  const { prompt } = first;
  const datum = (target: number) => ({
    screenshots: [],
    sequences: [{ tokens: [], prompt, action: [1], return: target }],
  });
  // Two tokens of eight against one: P(yes) = 1/9.
  expect((await critic.forward([datum(0)])).values).toEqual([[expect.closeTo(-1 + 4 / 9, 9)]]);
  for (let step = 0; step < 60; step++) {
    await critic.forwardBackward({ data: [datum(2)], loss: { name: 'ppo_critic', valueClip: 1e9 } });
    await critic.optimStep({ learningRate: 2 });
  }
  expect((await critic.forward([datum(2)])).values[0]![0]).toBeCloseTo(2, 1);
});

it('refuses rewards beyond its range, other losses, and a frozen encoder', async () => {
  const cue = new CueEngine();
  const critic = new ServedCritic({ engine: cue, ...yesOrNo });
  const best = { save: async () => undefined, restore: async () => undefined };
  const pretrain = (reward: number, changed = {}) => {
    const played = [1, 2, 3].map(() => servedRollout([{ ...first, reward }]));
    return pretrainValue(critic, played, { ...pretraining, maxEpochs: 1, ...changed }, best, new Random(1));
  };
  const bad = (field: string) => ({ code: 'bad_input', detail: { field } });
  await expect(pretrain(5)).rejects.toMatchObject(bad('served.critic'));
  await expect(pretrain(NaN)).rejects.toMatchObject(bad('served.critic'));
  await expect(pretrain(1, { freezeEncoder: true })).rejects.toMatchObject(bad('freezeEncoder'));
  await expect(critic.forwardBackward({ data: [], loss: { name: 'cross_entropy' } })).rejects.toMatchObject(
    bad('loss'),
  );
  expect(() => new ServedCritic({ engine: cue, ...yesOrNo, range: { low: 1, high: 1 } })).toThrow('no range');
  expect(cue.trained).toEqual([]);
  // Bootstrapped returns may overshoot.
  await pretrain(1.2);
  expect(cue.trained[0]!.map(({ weights }) => weights.at(-1))).toEqual([0.5, 0, 0.5, 0]);
});
