import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { everySource } from './clockSources.test.support.js';
import { BrowserPool } from '../../index.js';

const size = { width: 320, height: 240 };
let pools: BrowserPool[];
beforeAll(async () => {
  pools = [await BrowserPool.launch(), await BrowserPool.launch()];
});
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

async function look(pool: BrowserPool, seed: number): Promise<{ hash: string; lines: string[] }> {
  const session = await pool.lease({ size });
  await session.browser.open({ html: everySource, seed });
  await session.browser.advance(1_000);
  const text = await session.browser.evaluate<string>('document.getElementById("all").textContent');
  const { hash } = await session.screen.observe();
  await session.release();
  return { hash, lines: text.split('\n') };
}

it('no value that a page can reach tells the wall clock or true randomness', async () => {
  const first = await look(pools[0]!, 1);
  await pause(1_100);
  const second = await look(pools[1]!, 1);
  expect(first.lines.length).toBeGreaterThan(5_000);
  expect(second.lines.filter((line, index) => line !== first.lines[index])).toEqual([]);
  const years = first.lines.filter((line) => line.includes(String(new Date().getFullYear())) && line.includes('() ='));
  expect(years.every((line) => line.includes('2026'))).toBe(true);
  const reseeded = await look(pools[0]!, 2);
  const differ = reseeded.lines.filter((line, index) => line !== first.lines[index]);
  expect(differ.map((line) => line.split('(')[0]).sort()).toEqual(['Math.random', 'getRandomValues']);
});

it('a page that reads all of them shows the same frame in 20 of 20 runs', async () => {
  const hashes = new Set<string>();
  const looks = pools.map(async (pool) => {
    for (let run = 0; run < 10; run++) hashes.add((await look(pool, 7)).hash);
  });
  await Promise.all(looks);
  expect(hashes.size).toBe(1);
}, 120_000);
