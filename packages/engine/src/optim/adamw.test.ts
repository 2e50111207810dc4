import { describe, expect, it } from 'vitest';
import { AdamW } from './adamw.js';
import { ParameterStore } from '../runtime/parameters.js';
import { Random } from '../random.js';

const specs = [
  { name: 'matrix', shape: [4, 3], init: { normal: 1 } },
  { name: 'vector', shape: [5], init: 'ones' },
] as const;

/** Algorithm 2 of Loshchilov and Hutter 2019 in float64. */
function reference(
  start: Float32Array,
  gradients: Float32Array[],
  learningRate: number,
  decays: (i: number) => boolean,
): number[] {
  const [beta1, beta2, eps, weightDecay, clipNorm] = [0.9, 0.98, 1e-8, 0.02, 1];
  const theta = [...start];
  const m = theta.map(() => 0);
  const v = theta.map(() => 0);
  for (const [step, raw] of gradients.entries()) {
    const norm = Math.hypot(...raw);
    theta.forEach((old, i) => {
      const g = raw[i]! / Math.max(1, norm / clipNorm);
      m[i] = beta1 * m[i]! + (1 - beta1) * g;
      v[i] = beta2 * v[i]! + (1 - beta2) * g * g;
      const mHat = m[i] / (1 - beta1 ** (step + 1));
      const vHat = v[i] / (1 - beta2 ** (step + 1));
      theta[i] = old - learningRate * (mHat / (Math.sqrt(vHat) + eps) + (decays(i) ? weightDecay * old : 0));
    });
  }
  return theta;
}

const draw = (random: Random, size: number, scale: number) =>
  Float32Array.from({ length: size }, () => scale * random.normal());

describe('AdamW', () => {
  it('follows the reference in 64 bits over 50 steps, clipped and not, and decays matrices alone', () => {
    const store = new ParameterStore(specs, 1);
    const start = store.data.slice();
    const optimiser = new AdamW(store);
    const random = new Random(2);
    const gradients = Array.from({ length: 50 }, (_, step) => draw(random, store.size, step % 2 ? 0.05 : 3));
    const reports = gradients.map((gradient) => optimiser.step(gradient, 0.01));
    expect(reports.map(({ clipped }) => clipped)).toEqual(gradients.map((_, step) => step % 2 === 0));
    expect(reports[0]!.gradientNorm).toBeCloseTo(Math.hypot(...gradients[0]!), 5);
    const expected = reference(start, gradients, 0.01, (i) => i < 12);
    expected.forEach((value, i) => expect(Math.abs(store.data[i]! - value)).toBeLessThan(1e-5));
    expect(optimiser.steps).toBe(50);
  });

  it('follows the reference over arrays that are longer than a chunk and no multiple of four, bit by bit again', () => {
    const run = () => {
      const store = new ParameterStore([{ name: 'long', shape: [1, 20_003], init: { normal: 1 } }, specs[1]], 1);
      const start = store.data.slice();
      const random = new Random(2);
      const optimiser = new AdamW(store);
      const gradients = Array.from({ length: 3 }, () => draw(random, store.size, 1));
      gradients.forEach((gradient) => optimiser.step(gradient, 0.01));
      return { start, gradients, data: store.data };
    };
    const { start, gradients, data } = run();
    const expected = reference(start, gradients, 0.01, (i) => i < 20_003);
    expect(expected.every((value, i) => Math.abs(data[i]! - value) < 1e-6)).toBe(true);
    expect(run().data).toEqual(data);
  });

  it('lets moments decay to zero and not into denormal numbers', () => {
    const store = new ParameterStore(specs, 1);
    const optimiser = new AdamW(store);
    optimiser.step(new Float32Array(store.size).fill(1e-20), 0.1);
    const still = new Float32Array(store.size);
    for (let step = 0; step < 500; step++) optimiser.step(still, 0.1);
    const smallest = optimiser.m.filter((value) => value !== 0).reduce((min, value) => Math.min(min, value), 1);
    expect(smallest).toBeGreaterThanOrEqual(2 ** -126);
    for (let step = 0; step < 500; step++) optimiser.step(still, 0.1);
    expect(optimiser.m.every((value) => value === 0)).toBe(true);
  });

  it('gives each group its own learning rate and decay, and freezes', () => {
    const names = ['stem.w', 'stem.bias', 'head.w', 'other.w'];
    const store = new ParameterStore(
      names.map((name) => ({ name, shape: name.endsWith('w') ? [2, 3] : [3], init: { normal: 1 } as const })),
      1,
    );
    const before = store.clone();
    const optimiser = new AdamW(store, {
      groups: [
        { parameters: 'stem.', learningRateScale: 0.5, weightDecay: 0 },
        { parameters: (name) => name.endsWith('head.w'), frozen: true },
        { parameters: 'other', weightDecay: 1 },
      ],
      clipNorm: Infinity,
    });
    const { gradientNorm } = optimiser.step(new Float32Array(store.size).fill(2), 0.1);
    expect(gradientNorm).toBeCloseTo(2 * Math.sqrt(6 + 3 + 6), 5);
    const expected = {
      'stem.w': (old: number) => old - 0.05,
      'stem.bias': (old: number) => old - 0.05,
      'head.w': (old: number) => old,
      'other.w': (old: number) => 0.9 * old - 0.1,
    };
    for (const [name, moved] of Object.entries(expected)) {
      store.view(name).forEach((value, i) => expect(value).toBeCloseTo(moved(before.view(name)[i]!), 5));
    }
    expect(store.view('head.w')).toEqual(before.view('head.w'));
    expect([...store.view('head.w', optimiser.m), ...store.view('head.w', optimiser.v)]).toEqual(new Array(12).fill(0));
  });

  it('refuses a group that takes nothing and options out of range', () => {
    const store = new ParameterStore(specs, 1);
    for (const [options, field] of [
      [{ groups: [{ parameters: 'matrix' }, { parameters: 'vektor' }] }, 'groups[1].parameters'],
      [{ groups: [{ parameters: 'matrix', learningRateScale: NaN }] }, 'groups[0].learningRateScale'],
      [{ groups: [{ parameters: 'matrix', weightDecay: -1 }] }, 'groups[0].weightDecay'],
      [{ beta1: 1 }, 'beta1'],
      [{ beta2: -0.1 }, 'beta2'],
      [{ eps: 0 }, 'eps'],
      [{ weightDecay: NaN }, 'weightDecay'],
      [{ clipNorm: 0 }, 'clipNorm'],
    ] as const) {
      expect(() => new AdamW(store, options)).toThrow(
        expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field }) }),
      );
    }
  });

  it.each([
    ['a weight is NaN', (store: ParameterStore) => (store.view('vector')[3] = NaN), 0.1],
    ['the step overflows', () => 0, 1e300],
  ])('says so when %s', (_, spoil, learningRate) => {
    const store = new ParameterStore(specs, 1);
    const optimiser = new AdamW(store);
    spoil(store);
    const step = () => optimiser.step(new Float32Array(store.size).fill(0.1), learningRate);
    expect(step).toThrow(expect.objectContaining({ code: 'numeric', message: expect.stringContaining('not finite') }));
    const otherStore = new ParameterStore(specs, 1);
    expect(() => new AdamW(otherStore).step(new Float32Array(otherStore.size).fill(0.1), 0.1)).not.toThrow();
  });

  it('leaves frozen parameters, their moments and the norm alone', () => {
    const store = new ParameterStore(specs, 1);
    const before = store.data.slice();
    const optimiser = new AdamW(store);
    const gradient = new Float32Array(store.size).fill(1e6);
    store.view('vector', gradient).fill(0.1);
    const { gradientNorm, clipped } = optimiser.step(gradient, 0.1, (name) => name === 'vector');
    expect(gradientNorm).toBeCloseTo(Math.sqrt(0.05), 6);
    expect(clipped).toBe(false);
    expect([...store.view('matrix')]).toEqual([...before.subarray(0, 12)]);
    expect([...optimiser.m.subarray(0, 12), ...optimiser.v.subarray(0, 12)]).toEqual(new Array(24).fill(0));
    expect(store.view('vector')[0]).toBeCloseTo(0.9, 4);
  });

  it.each([NaN, Infinity, -Infinity])('refuses a gradient with %s, and changes nothing', (bad) => {
    const store = new ParameterStore(specs, 1);
    const optimiser = new AdamW(store);
    optimiser.step(new Float32Array(store.size).fill(0.1), 0.1);
    const [data, m, v] = [store.data.slice(), optimiser.m.slice(), optimiser.v.slice()];
    const gradient = new Float32Array(store.size);
    store.view('vector', gradient)[2] = bad;
    expect(() => optimiser.step(gradient, 0.1)).toThrow(
      expect.objectContaining({ code: 'numeric', detail: expect.objectContaining({ field: 'vector' }) }),
    );
    expect([store.data, optimiser.m, optimiser.v, optimiser.steps]).toEqual([data, m, v, 1]);
  });

  it('goes on from saved moments with the same numbers as an unbroken run', () => {
    const random = new Random(3);
    const whole = new ParameterStore(specs, 1);
    const unbroken = new AdamW(whole);
    const gradients = Array.from({ length: 6 }, () => draw(random, whole.size, 0.1));
    gradients.slice(0, 3).forEach((gradient) => unbroken.step(gradient, 0.01));
    const copy = whole.clone();
    const resumed = new AdamW(copy);
    resumed.m.set(unbroken.m);
    resumed.v.set(unbroken.v);
    resumed.steps = unbroken.steps;
    for (const gradient of gradients.slice(3)) {
      unbroken.step(gradient, 0.01);
      resumed.step(gradient, 0.01);
    }
    expect(copy.data).toEqual(whole.data);
  });

  it('refuses a gradient of the wrong size and an invalid learning rate', () => {
    const optimiser = new AdamW(new ParameterStore(specs, 1));
    expect(() => optimiser.step(new Float32Array(3), 0.1)).toThrow(expect.objectContaining({ code: 'shape' }));
    expect(() => optimiser.step(new Float32Array(17), NaN)).toThrow(expect.objectContaining({ code: 'bad_input' }));
  });
});

describe('parameter store', () => {
  it('lays parameters out one after the other and starts each from its own name', () => {
    const store = new ParameterStore(specs, 1);
    expect([store.size, store.offset('vector')]).toEqual([17, 12]);
    expect([...store.view('vector')]).toEqual([1, 1, 1, 1, 1]);
    const largerStore = new ParameterStore([{ name: 'new', shape: [2], init: { normal: 1 } }, ...specs], 1);
    expect(largerStore.view('matrix')).toEqual(store.view('matrix'));
    expect(new ParameterStore(specs, 2).view('matrix')).not.toEqual(store.view('matrix'));
    store.view('vector')[0] = 7;
    expect(store.data[12]).toBe(7);
  });

  it('copies', () => {
    const store = new ParameterStore(specs, 1);
    const copy = store.clone();
    copy.data[0] = 99;
    expect(store.data[0]).not.toBe(99);
    expect(copy.data.subarray(1)).toEqual(store.data.subarray(1));
  });

  it('gives its tensors for a checkpoint, and takes them back', () => {
    const store = new ParameterStore(specs, 1);
    const otherStore = new ParameterStore(specs, 2);
    const before = otherStore.data.slice();
    const { 'x.matrix': matrix, 'x.vector': vector } = store.tensors('x.');
    expect([matrix?.shape, vector?.shape]).toEqual([[4, 3], [5]]);
    for (const [bad, field] of [
      [{ 'x.matrix': matrix! }, 'x.vector'],
      [{ 'x.matrix': vector!, 'x.vector': vector! }, 'x.matrix'],
    ] as const) {
      expect(() => {
        otherStore.restore(bad, 'x.');
      }).toThrow(expect.objectContaining({ code: 'corrupt', detail: expect.objectContaining({ field }) }));
      expect(otherStore.data).toEqual(before);
    }
    otherStore.restore({ 'x.matrix': matrix!, 'x.vector': vector!, 'y.more': vector! }, 'x.');
    expect(otherStore.data).toEqual(store.data);
  });

  it('refuses a duplicate name, an unknown name and an invalid shape', () => {
    for (const bad of [
      () => new ParameterStore([specs[0], specs[0]], 1),
      () => new ParameterStore(specs, 1).view('nothing'),
      () => new ParameterStore([{ name: 'a', shape: [0], init: 'ones' }], 1),
    ]) {
      expect(bad).toThrow(expect.objectContaining({ code: 'shape' }));
    }
  });
});
