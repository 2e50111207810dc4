import { describe, expect, it, onTestFinished } from 'vitest';
import { Random } from '../random.js';
import { ParameterStore } from '../runtime/parameters.js';
import { AdamW } from './adamw.js';
import { isHiddenMatrix, Muon, type MuonOptions } from './muon.js';
import { NewtonSchulz } from './newtonSchulz.js';

const specs = [
  { name: 'token', shape: [40, 16], init: { normal: 1 } },
  { name: 'layer.up.w', shape: [16, 48], init: { normal: 0.1 } },
  { name: 'layer.down.w', shape: [48, 16], init: { normal: 0.1 } },
  { name: 'layer.down.b', shape: [16], init: 'zeros' },
  { name: 'logits.w', shape: [16, 40], init: { normal: 1 } },
] as const;
const matrices = ['layer.up.w', 'layer.down.w'];

function muonOf(store: ParameterStore, options?: MuonOptions): Muon {
  const muon = new Muon(store, options);
  onTestFinished(() => muon.close());
  return muon;
}

function draws(store: ParameterStore, count: number): Float32Array[] {
  const random = new Random(2);
  return Array.from({ length: count }, () => Float32Array.from({ length: store.size }, () => random.normal()));
}

describe('Muon', () => {
  it('takes hidden matrices, and no tables, heads, vectors or thin matrices', () => {
    expect(specs.filter(({ name, shape }) => isHiddenMatrix(name, shape)).map(({ name }) => name)).toEqual(matrices);
    expect(isHiddenMatrix('age.w', [16, 16])).toBe(false);
    expect(isHiddenMatrix('thin.w', [2, 64])).toBe(false);
    expect(isHiddenMatrix('image.0.q.w', [64, 64])).toBe(true);
  });

  it.each(['rms', 'spectral'] as const)('follows the reference with the scale %s', async (scale) => {
    const store = new ParameterStore(specs, 1);
    const muon = muonOf(store, { scale, clipNorm: Infinity, weightDecay: 0.1 });
    const newtonSchulz = new NewtonSchulz({ threads: 1 });
    onTestFinished(() => newtonSchulz.close());
    const momentum = new Map(matrices.map((name) => [name, store.view(name).map(() => 0)]));
    for (const gradient of draws(store, 3)) {
      const before = store.clone();
      await muon.step(gradient, 0.01);
      for (const name of matrices) {
        const m = momentum.get(name)!;
        const g = store.view(name, gradient);
        for (let i = 0; i < m.length; i++) m[i] = 0.95 * m[i]! + 0.05 * g[i]!;
        const [rows, columns] = specs.find((spec) => spec.name === name)!.shape as readonly [number, number];
        const update = { rows, columns, data: m.map((value, i) => 0.95 * value + 0.05 * g[i]!) };
        await newtonSchulz.orthogonalise([update]);
        const size = scale === 'rms' ? 0.2 * Math.sqrt(48) : Math.sqrt(Math.max(1, columns / rows));
        const old = before.view(name);
        store.view(name).forEach((value, i) => {
          expect(Math.abs(value - (0.999 * old[i]! - 0.01 * size * update.data[i]!))).toBeLessThan(1e-5);
        });
      }
    }
  });

  it('updates with the RMS of AdamW', async () => {
    const store = new ParameterStore(specs, 1);
    const before = store.clone();
    await muonOf(store, { weightDecay: 0 }).step(draws(store, 1)[0]!, 1);
    for (const name of matrices) {
      const old = before.view(name);
      const squares = store.view(name).reduce((sum, value, i) => sum + (value - old[i]!) ** 2, 0);
      expect(Math.sqrt(squares / old.length)).toBeGreaterThan(0.14);
      expect(Math.sqrt(squares / old.length)).toBeLessThan(0.25);
    }
  });

  it('updates all else like AdamW, clipped by the global norm', async () => {
    const [store, reference] = [new ParameterStore(specs, 1), new ParameterStore(specs, 1)];
    const muon = muonOf(store);
    const adamw = new AdamW(reference);
    for (const gradient of draws(store, 3)) {
      expect(await muon.step(gradient, 0.01)).toEqual(adamw.step(gradient, 0.01));
    }
    for (const { name } of specs) {
      if (matrices.includes(name)) expect(store.view(name)).not.toEqual(reference.view(name));
      else expect(store.view(name)).toEqual(reference.view(name));
    }
  });

  it('leaves filtered and frozen parameters alone, and scales groups', async () => {
    const store = new ParameterStore(specs, 1);
    const [gradient] = draws(store, 1);
    const stepped = async (options: MuonOptions, filter?: (name: string) => boolean) => {
      const copy = store.clone();
      await muonOf(copy, { weightDecay: 0, ...options }).step(gradient!, 0.01, filter);
      return copy;
    };
    const whole = await stepped({});
    const groups = [
      { parameters: 'layer.up', learningRateScale: 0.5 },
      { parameters: 'layer.down.w', frozen: true },
    ];
    const grouped = await stepped({ groups });
    expect(grouped.view('layer.down.w')).toEqual(store.view('layer.down.w'));
    const old = store.view('layer.up.w');
    const full = whole.view('layer.up.w');
    grouped.view('layer.up.w').forEach((value, i) => expect(value).toBeCloseTo((old[i]! + full[i]!) / 2, 5));
    const filtered = await stepped({}, (name) => name === 'layer.down.w');
    expect(filtered.view('layer.up.w')).toEqual(old);
    expect(filtered.view('token')).toEqual(store.view('token'));
    expect(filtered.view('layer.down.w')).not.toEqual(store.view('layer.down.w'));
  });

  it('goes on from saved moments with the same numbers as an unbroken run', async () => {
    const whole = new ParameterStore(specs, 1);
    const unbroken = muonOf(whole);
    const gradients = draws(whole, 6);
    for (const gradient of gradients.slice(0, 3)) await unbroken.step(gradient, 0.01);
    const copy = whole.clone();
    const resumed = muonOf(copy);
    const saved = unbroken.moments();
    const names = (prefix: string) => Object.keys(saved).filter((name) => name.startsWith(prefix));
    expect(names('muon.m.')).toEqual(matrices.map((name) => `muon.m.${name}`));
    expect(names('adam.v.')).toEqual(['adam.v.token', 'adam.v.layer.down.b', 'adam.v.logits.w']);
    for (const [name, { data }] of Object.entries(resumed.moments())) data.set(saved[name]!.data);
    resumed.steps = unbroken.steps;
    for (const gradient of gradients.slice(3)) {
      await unbroken.step(gradient, 0.01);
      await resumed.step(gradient, 0.01);
    }
    expect(copy.data).toEqual(whole.data);
  });

  it('refuses gradients that are not finite, changing nothing, and options out of range', async () => {
    const store = new ParameterStore(specs, 1);
    const muon = muonOf(store);
    const before = store.data.slice();
    const gradient = new Float32Array(store.size);
    store.view('layer.up.w', gradient)[3] = NaN;
    await expect(muon.step(gradient, 0.1)).rejects.toMatchObject({ code: 'numeric', detail: { field: 'layer.up.w' } });
    expect([store.data, muon.m.some(Boolean), muon.steps]).toEqual([before, false, 0]);
    await expect(muon.step(new Float32Array(store.size).fill(1), 1e300)).rejects.toMatchObject({ code: 'numeric' });
    const overflowing = () => new Muon(store, { momentum: 1 });
    expect(overflowing).toThrow(expect.objectContaining({ detail: expect.objectContaining({ field: 'momentum' }) }));
  });
});
