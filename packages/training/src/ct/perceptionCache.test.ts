import { createHash } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrowserPool } from '@gyre/sandbox';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { PerceptionCache } from './perceptionCache.js';

const key = { seed: 5, size: { width: 480, height: 320 } };
let pool: BrowserPool;
let folder: string;
beforeAll(async () => {
  pool = await BrowserPool.launch();
});
afterAll(() => pool.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-sheets-'));
});
afterEach(() => rm(folder, { recursive: true }));

const none = { lease: () => Promise.reject(new Error('rendered')) } as unknown as BrowserPool;

async function read(cache: PerceptionCache, from: BrowserPool, first: number, count: number): Promise<unknown[]> {
  const digest = (pixels?: Uint8Array) => pixels && createHash('sha256').update(pixels).digest('hex');
  const samples: unknown[] = [];
  for await (const chunk of cache.read(from, key, first, count)) {
    samples.push(...chunk.map((one) => ({ ...one, pixels: digest(one.pixels), before: digest(one.before) })));
  }
  return samples;
}

test('gives the same samples again without rendering, also to another process', async () => {
  const rendered = await read(new PerceptionCache(folder), pool, 0, 2);
  expect(rendered).toHaveLength(18);
  const cached = await read(new PerceptionCache(folder), none, 0, 2);
  expect(cached).toEqual(rendered);
  expect((await read(new PerceptionCache(folder), pool, 1, 2)).slice(0, 9)).toEqual(rendered.slice(9));
});

test('makes a file again that is cut short or changed, and leaves no others', async () => {
  const cache = new PerceptionCache(folder);
  const rendered = await read(cache, pool, 0, 1);
  const [name = ''] = await readdir(folder);
  const path = join(folder, name);
  const whole = await readFile(path);
  const changed = Buffer.from(whole);
  changed[whole.length >> 1] = (changed[whole.length >> 1] ?? 0) ^ 1;
  for (const harm of [
    () => truncate(path, whole.length - 100),
    () => truncate(path, 3),
    () => writeFile(path, changed),
  ]) {
    await harm();
    await expect(read(cache, none, 0, 1)).rejects.toThrow('rendered');
    expect(await read(cache, pool, 0, 1)).toEqual(rendered);
    expect(await readFile(path)).toEqual(whole);
  }
  expect(await readdir(folder)).toEqual([name]);
});

test('drops the sheets used longest ago beyond its bound', async () => {
  await read(new PerceptionCache(folder), pool, 0, 1);
  const [name = ''] = await readdir(folder);
  const { size } = await stat(join(folder, name));
  const cache = new PerceptionCache(folder, (3.6 * size) / 1e6);
  await read(cache, pool, 0, 5);
  const files = await readdir(folder);
  expect(files.length).toBeLessThan(5);
  expect(files.length).toBeGreaterThan(0);
  expect(files.some((one) => one.endsWith('-4.sheet'))).toBe(true);
  expect(files.some((one) => one.endsWith('-0.sheet'))).toBe(false);
});
