import { expect, it } from 'vitest';
import { compile } from '../runtime/executable.js';
import { gradients } from '../tensor/gradients.js';
import { Graph, type Tensor } from '../tensor/graph.js';
import { crossEntropyLoss, marginalLoss, ppoLoss, readingLoss, valueLoss } from './losses.js';

async function computed<Name extends string>(
  feeds: Record<Name, Float32Array | Int32Array>,
  shape: number[],
  build: (inputs: Record<Name, Tensor>) => Tensor,
): Promise<{ loss: number; gradient: number[] }> {
  const graph = new Graph();
  const names = Object.keys(feeds) as Name[];
  const inputs = Object.fromEntries(
    names.map((name) => {
      const isFloat = feeds[name] instanceof Float32Array;
      const fedShape = feeds[name].length === shape.reduce((a, b) => a * b, 1) ? shape : shape.slice(0, -1);
      return [name, graph.input(name, fedShape, isFloat ? 'float32' : 'int32')];
    }),
  ) as Record<Name, Tensor>;
  const loss = build(inputs);
  const executable = await compile({ loss, gradient: gradients(loss, [inputs[names[0]!]])[0]! }, { threads: 1 });
  const out = await executable.run(feeds);
  await executable.release();
  return { loss: out.loss![0]!, gradient: [...(out.gradient as Float32Array)] };
}

const ratios = [0.5, 1.1, 2, 20];
const tokens = (advantage: number) => ({
  logprobs: Float32Array.from(ratios, Math.log),
  oldLogprobs: new Float32Array(4),
  advantages: new Float32Array(4).fill(advantage),
  entropies: Float32Array.of(1, 2, 3, 4),
  weights: new Float32Array(4).fill(1),
});

it.each([
  ['of positive advantages', 3, {}, -3 * (0.5 + 1.1 + 1.28 + 1.28), [-1.5, -3.3, 0, 0]],
  ['of negative advantages', -3, {}, 3 * (0.8 + 1.1 + 2 + 20), [0, 3.3, 6, 60]],
  ['of negative advantages with dual clip', -3, { dualClip: 3 }, 3 * (0.8 + 1.1 + 2 + 3), [0, 3.3, 6, 0]],
  ['with an entropy bonus', 3, { entropy: 0.1 }, -3 * (0.5 + 1.1 + 1.28 + 1.28) - 1, [-1.5, -3.3, 0, 0]],
] as const)('computes the PPO loss %s', async (_, advantage, options, expected, slopes) => {
  const { loss, gradient } = await computed(tokens(advantage), [1, 1, 4], (inputs) =>
    ppoLoss(inputs, { clipLow: 0.2, clipHigh: 0.28, ...options }),
  );
  expect(loss).toBeCloseTo(expected, 4);
  expect(gradient).toEqual(slopes.map((slope) => expect.closeTo(slope, 3)));
});

it.each([
  // Errors 0.5, 2 and 2; the clipped values are 0.2, 0.2 and -0.2 and their errors 0.8, 0.8 and 1.2.
  [0.2, (0.8 ** 2 + 2 ** 2 + 2 ** 2) / 2, [0, 2, -2]],
  [Infinity, (0.5 ** 2 + 2 ** 2 + 2 ** 2) / 2, [-0.5, 2, -2]],
] as const)('computes the value loss with a clip of %d', async (valueClip, expected, slopes) => {
  const feeds = {
    values: Float32Array.of(0.5, 3, -1),
    returns: Float32Array.of(1, 1, 1),
    oldValues: new Float32Array(3),
    weights: Float32Array.of(1, 1, 1),
  };
  const { loss, gradient } = await computed(feeds, [3, 1, 1], (inputs) => valueLoss(inputs, { valueClip }));
  expect(loss).toBeCloseTo(expected, 5);
  expect(gradient).toEqual(slopes.map((slope) => expect.closeTo(slope, 5)));
});

it('computes the cross-entropy, which targets split among tokens', async () => {
  const logprobs = Float32Array.of(-1, -2, -3, -4);
  const targets = Float32Array.of(0.5, 0.5, 0, 1);
  const { loss, gradient } = await computed({ logprobs, targets }, [1, 1, 2, 2], crossEntropyLoss);
  expect(loss).toBeCloseTo(0.5 + 1 + 4, 6);
  expect(gradient).toEqual([-0.5, -0.5, -0, -1]);
});

it('computes the loss of all accepted tokens together', async () => {
  // One token of probability 0.2; then 0.5 and 0.25, of which the third class is refused.
  const logprobs = Float32Array.from([0.2, 0.7, 0.1, 0.5, 0.25, 0.25], Math.log);
  const accepted = Float32Array.of(1, 0, 0, 1, 1, 0);
  const { loss, gradient } = await computed(
    { logprobs, accepted, weights: Float32Array.of(1, 2) },
    [2, 3],
    marginalLoss,
  );
  expect(loss).toBeCloseTo(-Math.log(0.2) - 2 * Math.log(0.75), 5);
  const slopes = [-1, 0, 0, (-2 * 0.5) / 0.75, (-2 * 0.25) / 0.75, 0];
  expect(gradient).toEqual(slopes.map((slope) => expect.closeTo(slope, 5) as number));
});

it('computes the reading loss of the right classes, by weight', async () => {
  const logits = Float32Array.of(0, 0, Math.log(3), 0);
  const feeds = { logits, classes: Int32Array.of(1, 0), weights: Float32Array.of(1, 2) };
  const { loss } = await computed(feeds, [2, 1, 2], readingLoss);
  expect(loss).toBeCloseTo(Math.log(2) - 2 * Math.log(0.75), 5);
});
