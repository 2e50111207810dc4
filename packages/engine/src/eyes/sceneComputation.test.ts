import { afterAll, expect, it } from 'vitest';
import type { NativeComputation } from '../nano/computation.js';
import type { NativeDatum, NativeLoss } from '../nano/nativeEngine.js';
import { Random } from '../random.js';
import { acceptedTurn } from './acceptedTurn.js';
import { context, screen, tiny } from './scene.test.fixture.js';
import { sceneComputation } from './sceneComputation.js';
import { sceneOf } from './sceneTokens.js';

const computations: NativeComputation[] = [];
afterAll(() => Promise.all(computations.map((each) => each.close())));

const scene = sceneOf(screen, context, 1);
const common = { tokens: [], scene: context, clock: 1 };
const demonstrations: NativeDatum[] = [
  { type: 'click', point: { x: 0.4, y: 0.7 } } as const,
  { type: 'type', text: 'Pear' } as const,
].map((action) => ({
  screenshots: [screen],
  sequences: [{ ...common, ...acceptedTurn(scene, action, { random: () => 0.05 }) }],
}));

const sampled = demonstrations.map(({ screenshots, sequences: [sequence] }, i) => {
  const logprobs = sequence!.action.map((_, t) => -4 - 0.1 * t);
  const advantages = sequence!.action.map(() => (i === 0 ? 1 : -0.5));
  return { screenshots, sequences: [{ ...common, action: sequence!.action, logprobs, advantages }] };
});
const valued = demonstrations.map(({ screenshots, sequences: [sequence] }, i) => ({
  screenshots,
  sequences: [{ ...common, action: sequence!.action, return: i + 1, value: 0 }],
}));

it.each<[NativeLoss, NativeDatum[]]>([
  [{ name: 'cross_entropy' }, demonstrations],
  [{ name: 'ppo', clipLow: 1, clipHigh: 1e30, entropy: 0.1 }, sampled],
  [{ name: 'ppo_critic', valueClip: 1e9 }, valued],
])(
  'has the gradient that differences of the loss have: $name',
  async (loss, data) => {
    const role = loss.name === 'ppo_critic' ? 'critic' : 'policy';
    const computation = sceneComputation({ ...tiny, role }, { architecture: tiny, seed: 3 });
    computations.push(computation);
    const { parameters, gradient } = computation;
    // Nothing else is 0 at first, and zeros hide errors.
    const random = new Random(5);
    for (const { name, init } of parameters.specs) {
      if (init === 'zeros') parameters.view(name).set(parameters.view(name).map(() => 0.05 * random.normal()));
    }
    const lossOf = async () => (await computation.run(data, { source: 'pixels', loss })).loss;
    await lossOf();
    const slopes = Float32Array.from(gradient);
    const groups = new Map<string, string[]>();
    for (const { name } of parameters.specs) {
      const group = name.split('.').slice(0, 2).join('.');
      groups.set(group, [...(groups.get(group) ?? []), name]);
    }
    let steep = 0;
    for (const [group, names] of groups) {
      const views = names.map((name) => ({ view: parameters.view(name), slope: parameters.view(name, slopes) }));
      const length = views.reduce((sum, { view }) => sum + view.length, 0);
      const moves = views.map(({ view, slope }) => ({
        ...{ view, slope, before: Float32Array.from(view) },
        direction: view.map(() => random.normal()),
      }));
      const step = 0.005 / Math.sqrt(length);
      const moved = async (by: number) => {
        for (const { view, before, direction } of moves) view.set(before.map((value, i) => value + by * direction[i]!));
        return lossOf();
      };
      const numeric = ((await moved(step)) - (await moved(-step))) / (2 * step);
      await moved(0);
      const exact = moves.reduce(
        (sum, { slope, direction }) => sum + slope.reduce((dot, value, i) => dot + value * direction[i]!, 0),
        0,
      );
      // float32 rounds the loss, and steps cross the kinks of relu.
      expect(Math.abs(numeric - exact), group).toBeLessThan(0.1 * Math.abs(exact) + 0.02);
      if (Math.abs(exact) > 0.1) steep++;
    }
    expect(steep).toBeGreaterThan(groups.size / 4);
  },
  180_000,
);
