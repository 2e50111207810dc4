import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saveCheckpoint, type TensorMap } from './checkpoint.js';
import { averageCheckpoints } from './checkpointMixture.js';

let folder: string;
let [a, b, c] = ['', '', ''];
const save = async (name: string, tensors: TensorMap): Promise<string> => {
  const path = join(folder, `${name}.safetensors`);
  await saveCheckpoint(path, { tensors, metadata: { name } });
  return path;
};
const tensor = (...data: number[]) => ({ shape: [data.length], data: Float32Array.from(data) });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-mixture-'));
  a = await save('a', { w: tensor(1, 1e-20, 0.1), m: tensor(1) });
  b = await save('b', { w: tensor(4, 1, 0.3), m: tensor(3) });
  c = await save('c', { m: tensor(5), w: tensor(-2, 0, 0.2) });
});
afterAll(() => rm(folder, { recursive: true }));

const close = (actual: Float32Array, expected: number[]) => {
  expected.forEach((value, i) => expect(actual[i]).toBeCloseTo(value, 6));
  expect(actual.length).toBe(expected.length);
};

describe('mixtures of checkpoints', () => {
  it('are means, by equal weights and by given ones, with the metadata of the first', async () => {
    const { tensors, metadata } = await averageCheckpoints([a, b, c]);
    expect(metadata).toEqual({ name: 'a' });
    close(tensors.w!.data, [1, 1 / 3, 0.2]);
    close(tensors.m!.data, [3]);
    close((await averageCheckpoints([a, b], [1, 3])).tensors.w!.data, [3.25, 0.75, 0.25]);
    const same = await averageCheckpoints([a, a, a]);
    expect(same.tensors.w!.data).toEqual(Float32Array.of(1, 1e-20, 0.1));
  });

  it('leave out what is not wanted, which then need not fit', async () => {
    const moments = await save('moments', { w: tensor(2, 2, 2), m: tensor(1, 2) });
    const { tensors } = await averageCheckpoints([a, moments], [0, 1], { tensors: (name) => name !== 'm' });
    expect(Object.keys(tensors)).toEqual(['w']);
  });

  it('refuse what differs, and name it', async () => {
    const wide = await save('wide', { w: tensor(1, 2, 3, 4), m: tensor(1) });
    const less = await save('less', { w: tensor(1, 2, 3) });
    for (const [paths, field, message] of [
      [[a, b, wide], 'w', 'w is [3] and [4]'],
      [[a, less], 'm', 'the second has no tensor m'],
      [[less, a], 'm', 'the first has no tensor m'],
    ] as const) {
      await expect(averageCheckpoints(paths)).rejects.toMatchObject({
        code: 'shape',
        message: expect.stringContaining(message),
        detail: { field },
      });
    }
  });

  it.each([[[1]], [[1, -1]], [[1, NaN]], [[1, 2, 3]]])('refuse the weights %j for two', async (weights) => {
    await expect(averageCheckpoints([a, b], weights)).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'weights' },
    });
  });

  it('refuse none at all', async () => {
    await expect(averageCheckpoints([])).rejects.toMatchObject({ code: 'bad_input' });
  });
});
