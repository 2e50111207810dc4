import { describe, expect, it } from 'vitest';
import type { Executable } from './executable.js';
import { ExecutableCache } from './executableCache.js';
import { Graph, type Tensor } from '../tensor/graph.js';
import * as ops from '../tensor/ops.js';

function doubling(size: number) {
  const built = { times: 0 };
  const build = () => {
    built.times++;
    return { y: ops.mul(new Graph().input('x', [size]), 2) };
  };
  return { build, built, x: new Float32Array(size).fill(3) };
}

const get = (cache: ExecutableCache, key: string, build: () => Record<string, Tensor>) =>
  cache.use(key, build, (executable) => executable);

const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('a cache of executables', () => {
  it('builds once for concurrent and later calls', async () => {
    const cache = new ExecutableCache({ threads: 1 });
    const { build, built, x } = doubling(2);
    const [first, second] = await Promise.all([get(cache, 'a', build), get(cache, 'a', build)]);
    const { y } = await (await get(cache, 'a', build)).run({ x });
    expect([first === second, built.times, ...y!]).toEqual([true, 1, 6, 6]);
    await cache.close();
  });

  it('rebuilds an entry after clearing; entries in use are released afterwards', async () => {
    const cache = new ExecutableCache({ threads: 1 });
    const { build, built, x } = doubling(2);
    let old: Executable | undefined;
    await cache.use('a', build, async (executable) => {
      cache.clear();
      expect(cache.usage.count).toBe(0);
      await (await get(cache, 'a', build)).run({ x });
      await settle();
      expect((await executable.run({ x })).y).toEqual(Float32Array.of(6, 6));
      old = executable;
    });
    await settle();
    await expect(old!.run({ x })).rejects.toMatchObject({ code: 'bad_input' });
    expect(built.times).toBe(2);
    await cache.close();
  });

  it('tells everyone of an error in building, and tries again afterwards', async () => {
    const cache = new ExecutableCache({ threads: 1 });
    const fail = () => {
      throw new Error('no');
    };
    const attempts = [get(cache, 'a', fail), get(cache, 'a', fail)];
    for (const each of attempts) await expect(each).rejects.toThrow('no');
    expect(cache.usage.count).toBe(0);
    const { build, x } = doubling(2);
    await (await get(cache, 'a', build)).run({ x });
    await cache.close();
  });

  it('releases the least recently used over its number', async () => {
    const cache = new ExecutableCache({ threads: 1, count: 2 });
    const { build, built, x } = doubling(2);
    const first = await get(cache, 'a', build);
    const second = await get(cache, 'b', build);
    await get(cache, 'a', build);
    await get(cache, 'c', build);
    await settle();
    await expect(second.run({ x })).rejects.toMatchObject({ code: 'bad_input' });
    await first.run({ x });
    expect([cache.usage.count, built.times]).toEqual([2, 3]);
    await get(cache, 'b', build);
    expect(built.times).toBe(4);
    await cache.close();
  });

  it('releases by bytes, but never the newest', async () => {
    const kilobyte = doubling(256);
    const probe = new ExecutableCache({ threads: 1 });
    await get(probe, 'a', kilobyte.build);
    const { bytes } = probe.usage;
    await probe.close();
    expect(bytes).toBeGreaterThanOrEqual(1024);
    const cache = new ExecutableCache({ threads: 1, bytes: 2 * bytes });
    for (const key of ['a', 'b', 'c']) await get(cache, key, kilobyte.build);
    expect(cache.usage).toEqual({ count: 2, bytes: 2 * bytes });
    const large = doubling(100_000);
    await (await get(cache, 'large', large.build)).run({ x: large.x });
    expect(cache.usage.count).toBe(1);
    await cache.close();
  });

  it('keeps what is worked with until the work is done, however many others come', async () => {
    const cache = new ExecutableCache({ threads: 1, count: 1 });
    const { build, x } = doubling(1000);
    const outputs = await cache.use('a', build, async (executable) => {
      for (const key of ['b', 'c', 'd']) await cache.use(key, build, (other) => other.run({ x }));
      return executable.run({ x });
    });
    expect(outputs.y![999]).toBe(6);
    expect(cache.usage.count).toBe(1);
    await cache.close();
  });

  it('closes after the work that is under way, and then refuses', async () => {
    const cache = new ExecutableCache({ threads: 1 });
    const { build, x } = doubling(1000);
    let done = false;
    const working = cache.use('a', build, async (executable) => {
      await settle();
      await executable.run({ x });
      await executable.run({ x });
      done = true;
    });
    const building = get(cache, 'b', build);
    await cache.close();
    expect(done).toBe(true);
    await Promise.all([working, building]);
    await expect(get(cache, 'a', build)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'key' } });
    expect(cache.usage).toEqual({ count: 0, bytes: 0 });
    await cache.close();
  });

  it('refuses invalid limits', () => {
    for (const options of [{ count: 0 }, { bytes: NaN }]) {
      expect(() => new ExecutableCache(options)).toThrow(expect.objectContaining({ code: 'bad_input' }));
    }
  });
});
