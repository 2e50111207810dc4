import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Baselines, entryOf } from './baselines.js';
import type { RolloutResult } from '@gyre/training';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-baselines-'));
});
afterAll(() => rm(folder, { recursive: true }));

const result = (policy: string, over: Partial<RolloutResult> = {}): RolloutResult => ({
  ...{
    family: 'maze',
    split: 'test',
    policy,
    n: 20,
    success: 0.5,
    low: 0.3,
    high: 0.7,
    score: 0.5,
    givenUp: 0,
    infraErrors: 0,
    falseCompletes: { count: 0, n: 20, share: 0, low: 0, high: 0.16 },
  },
  ...over,
});

test('recorded results are read back, replace older ones, and have a table next to them', async () => {
  const path = join(folder, 'all.json');
  const first = await Baselines.read(path, { mayBeMissing: true });
  await first
    .with([
      ...entryOf(result('random', { score: 0.2 }), '2026-11-20'),
      ...entryOf(result('oracle', { score: 1, success: 1 }), '2026-11-21'),
      ...entryOf(result('random', { family: 'menu' }), '2026-11-20'),
      ...entryOf(result('random', { family: 'click', n: 0 }), '2026-11-20'),
    ])
    .write(path);
  const again = (await Baselines.read(path)).with(entryOf(result('random', { score: 0.1 }), '2026-11-22'));
  await again.write(path);

  const known = await Baselines.read(path);
  expect(known.resultOf(result('nano'), 'random')).toMatchObject({ suite: 'basics', score: 0.1, date: '2026-11-22' });
  expect(known.resultOf(result('nano', { family: 'click' }), 'random')).toBeUndefined();
  expect(known.resultOf(result('nano', { split: 'dev' }), 'random')).toBeUndefined();
  const page = await readFile(join(folder, 'all.md'), 'utf8');
  expect(page).toContain('## basics\n\nPlayed: random 2026-11-22, reference 2026-11-21.\n\n| family | random: n |');
  expect(page).toContain('| maze | 20 | 50 % (30–70) | 0.100 | 20 | 100 % (30–70) | 1.000 |');
  expect(page).toContain('Played: random 2026-11-20, reference not yet.');
});

test('a score is normalised between random and the reference, a game’s by its own points', async () => {
  const known = (await Baselines.read(join(folder, 'none.json'), { mayBeMissing: true })).with([
    ...entryOf(result('random', { score: 0.2 }), '2026-11-22'),
    ...entryOf(result('oracle', { score: 0.7 }), '2026-11-22'),
    ...entryOf(result('random', { family: '2048', score: 0, gameScore: 400 }), '2026-11-22'),
    ...entryOf(result('oracle', { family: '2048', score: 1, gameScore: 2400 }), '2026-11-22'),
    ...entryOf(result('random', { family: 'menu', score: 1 }), '2026-11-22'),
    ...entryOf(result('oracle', { family: 'menu', score: 1 }), '2026-11-22'),
    ...entryOf(result('random', { family: 'tabs' }), '2026-11-22'),
  ]);
  expect(known.normalised(result('nano', { score: 0.3 }))).toBeCloseTo(0.2);
  expect(known.normalised(result('nano', { score: 0.1 }))).toBeCloseTo(-0.2);
  expect(known.normalised(result('nano', { family: '2048', score: 0.9, gameScore: 1400 }))).toBeCloseTo(0.5);
  expect(known.normalised(result('nano', { family: 'menu' }))).toBeUndefined();
  expect(known.normalised(result('nano', { family: 'tabs' }))).toBeUndefined();
});

test('refuses a file without baselines', async () => {
  await expect(Baselines.read(join(folder, 'nothing.json'))).rejects.toMatchObject({
    code: 'bad_input',
    detail: { field: '--baselines' },
  });
});
