import { describe, expect, it } from 'vitest';
import { ParameterStore } from '../runtime/parameters.js';
import { TailAverage } from './tailAverage.js';

const specs = [
  { name: 'a', shape: [3], init: { normal: 1 } },
  { name: 'b', shape: [2], init: 'ones' },
] as const;

/** Sets the parameters to the step's number and averages. */
function train(store: ParameterStore, average: TailAverage, steps: number): void {
  for (let step = 1; step <= steps; step++) {
    store.data.fill(average.steps + 1);
    average.update();
  }
}

describe('TailAverage', () => {
  it('covers the share of training that is asked for, whatever its length', () => {
    for (const share of [0.05, 0.1, 0.2]) {
      for (const steps of [400, 2000]) {
        const store = new ParameterStore([{ name: 'moments', shape: [2], init: 'zeros' }], 1);
        const average = new TailAverage(store, { share });
        for (let step = 1; step <= steps; step++) {
          store.data.set([step / steps, (step / steps) ** 2]);
          average.update();
        }
        // Moments of the time over which the average extends.
        const [mean, squares] = [...average.data] as [number, number];
        expect(Math.sqrt(squares - mean ** 2)).toBeCloseTo(share, 2);
      }
    }
  });

  it('follows a constant decay', () => {
    const store = new ParameterStore(specs, 1);
    store.data.fill(0);
    const average = new TailAverage(store, { decay: 0.9 });
    train(store, average, 2);
    expect(average.data[0]).toBeCloseTo(0.9 * 0.1 + 0.1 * 2, 5);
  });

  it('starts from the first parameters that it sees', () => {
    const store = new ParameterStore(specs, 1);
    const average = new TailAverage(store);
    expect(average.data).toEqual(store.data);
    store.data.fill(5);
    average.update();
    expect(average.data).toEqual(store.data);
  });

  it('is swapped in and out', () => {
    const store = new ParameterStore(specs, 1);
    const average = new TailAverage(store);
    train(store, average, 10);
    const [latest, mean] = [store.data.slice(), average.data.slice()];
    average.swap();
    expect(store.data).toEqual(mean);
    expect(() => {
      average.update();
    }).toThrow(expect.objectContaining({ code: 'bad_input' }));
    average.swap();
    expect([store.data, average.data]).toEqual([latest, mean]);
  });

  it('resumes from a checkpoint', () => {
    const [store, copy] = [new ParameterStore(specs, 1), new ParameterStore(specs, 1)];
    const [unbroken, resumed] = [new TailAverage(store), new TailAverage(copy)];
    train(store, unbroken, 7);
    const tensors = unbroken.tensors();
    expect(Object.keys(tensors)).toEqual(['average.a', 'average.b']);
    resumed.restore(tensors, unbroken.steps);
    train(store, unbroken, 5);
    train(copy, resumed, 5);
    expect(resumed.data).toEqual(unbroken.data);
    expect(() => {
      resumed.restore({}, 3);
    }).toThrow(expect.objectContaining({ code: 'corrupt' }));
  });

  it.each([
    [{ decay: 1 }, 'decay'],
    [{ share: 0.3 }, 'share'],
    [{ share: NaN }, 'share'],
  ])('refuses %j', (options, field) => {
    expect(() => new TailAverage(new ParameterStore(specs, 1), options)).toThrow(
      expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field }) }),
    );
  });
});
