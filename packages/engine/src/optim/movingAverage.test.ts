import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCheckpoint, saveCheckpoint } from '../checkpoint/checkpoint.js';
import { MovingAverage } from './movingAverage.js';
import { ParameterStore } from '../runtime/parameters.js';

const newStore = () =>
  new ParameterStore(
    [
      { name: 'a', shape: [2, 2], init: { normal: 1 } },
      { name: 'b', shape: [3], init: 'ones' },
    ],
    1,
  );

describe('moving average', () => {
  it('begins at the weights and follows them by the formula', () => {
    const store = newStore();
    const average = new MovingAverage(store, 0.9);
    expect(average.data).toEqual(store.data);
    const expected = [...store.data];
    for (let step = 1; step <= 20; step++) {
      store.data.fill(step);
      average.update();
      expected.forEach((old, i) => (expected[i] = 0.9 * old + 0.1 * step));
    }
    expected.forEach((value, i) => expect(average.data[i]).toBeCloseTo(value, 4));
  });

  it('is copied out, and leaves the weights as they are', () => {
    const store = newStore();
    const average = new MovingAverage(store, 0.5);
    store.data.fill(3);
    average.update();
    const copy = store.clone();
    average.copyTo(copy);
    expect(copy.view('b')).toEqual(Float32Array.of(2, 2, 2));
    expect(store.view('b')).toEqual(Float32Array.of(3, 3, 3));
    expect(() => {
      average.copyTo(new ParameterStore([{ name: 'a', shape: [1], init: 'ones' }], 1));
    }).toThrow(expect.objectContaining({ code: 'shape' }));
  });

  it('goes on from a checkpoint as an unbroken one does', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gyre-average-'));
    const path = join(folder, 'model.safetensors');
    const store = newStore();
    const unbroken = new MovingAverage(store, 0.99);
    store.data.fill(5);
    unbroken.update();
    await saveCheckpoint(path, { tensors: { ...store.tensors(), ...unbroken.tensors() }, metadata: {} });
    const resumed = new MovingAverage(newStore(), 0.99);
    const { tensors } = await loadCheckpoint(path);
    resumed.restore(tensors);
    expect(resumed.data).toEqual(unbroken.data);
    delete tensors['ema.b'];
    expect(() => {
      resumed.restore(tensors);
    }).toThrow(expect.objectContaining({ code: 'corrupt', detail: expect.objectContaining({ field: 'ema.b' }) }));
    await rm(folder, { recursive: true });
  });

  it.each([1, -0.1, NaN])('refuses a decay of %s', (decay) => {
    expect(() => new MovingAverage(newStore(), decay)).toThrow(expect.objectContaining({ code: 'bad_input' }));
  });
});
