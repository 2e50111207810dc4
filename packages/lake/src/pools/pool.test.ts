import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Episode, Split } from '@gyre/protocol';
import fc from 'fast-check';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { checksum } from '../store/checksum.js';
import { aFolder } from '../store/folder.test.fixture.js';
import { type Damage, Lake, poolStages } from '../index.js';
import { anEpisode } from '../store/sample.test.fixture.js';
import { differenceHash, hammingDistance } from './nearDuplicates.js';

const size = { width: 160, height: 160 };

function screen(x: number, ink = '#222'): Promise<Buffer> {
  const svg = `<svg width="160" height="160"><rect width="160" height="160" fill="#eee"/><rect x="${x}" y="30" width="50" height="60" fill="${ink}"/><path d="M0 130L160 ${150 - x / 4}" stroke="#77c" stroke-width="12"/></svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}

async function aLake(dir?: string, onDamage?: (damage: Damage) => void): Promise<Lake> {
  const lake = await Lake.open(dir ?? (await aFolder()), onDamage ? { onDamage } : {});
  onTestFinished(() => lake.close());
  return lake;
}

async function anOffer(lake: Lake, id: string, change: Partial<Episode> = {}, png?: Uint8Array) {
  const screenshot = await lake.putScreenshot(png ?? (await screen(20)));
  const episode = anEpisode(id, 2, { observation: { screenshot, size }, ...change });
  return { episode, origin: 'rollout' as const, cycle: 1 };
}

const instructing = (text: string): Partial<Episode> => ({ task: { ...anEpisode('x', 0).task, instruction: text } });

test('each addition is a version, and an older one can still be read', async () => {
  const dir = await aFolder();
  const lake = await aLake(dir);
  const pool = lake.pool('sft');
  expect(await pool.version()).toBe(0);
  expect(
    await pool.add([
      await anOffer(lake, 'a', instructing('press a')),
      await anOffer(lake, 'b', instructing('press b')),
    ]),
  ).toEqual({
    version: 1,
    added: ['a', 'b'],
    known: [],
    duplicates: [],
  });
  const again = [await anOffer(lake, 'b', instructing('press b')), await anOffer(lake, 'c', instructing('press c'))];
  expect(await pool.add(again)).toMatchObject({ version: 2, added: ['c'], known: ['b'] });
  expect(await pool.add([])).toMatchObject({ version: 2, added: [] });
  await lake.close();

  const reopened = (await aLake(dir)).pool('sft');
  expect((await reopened.samples()).map(({ episode }) => episode)).toEqual(['a', 'b', 'c']);
  expect((await reopened.samples(1)).map(({ episode }) => episode)).toEqual(['a', 'b']);
  expect(await (await aLake(dir)).pool('ct').samples()).toEqual([]);
});

test('a sample says where it comes from, as its episode does', async () => {
  const lake = await aLake();
  const origin = { format: 'atif', source: 'a file', licence: 'MIT' };
  const offer = await anOffer(lake, 'a', { origin });
  await lake.pool('ct').add([{ ...offer, origin: 'imported', turns: [0], weight: 0.5 }]);
  const [sample] = await lake.pool('ct').samples();
  expect(sample).toMatchObject({
    ...{ episode: 'a', turns: [0], family: 'forms', split: 'train', policy: 'nano', policyVersion: 3, cycle: 1 },
    ...{ origin: 'imported', licence: 'MIT', weight: 0.5 },
    verdict: { success: true, score: 0.75, source: 'verifier' },
  });
  expect(sample?.verdict).not.toHaveProperty('evidence');
  const none = lake.pool('sft').add([{ ...offer, turns: [7] }]);
  await expect(none).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'turns' } });
});

test('near-duplicates are left out and named: the same words and actions on a screen that looks the same', async () => {
  const lake = await aLake();
  const [original, alike, different] = [await screen(20), await screen(20, '#242424'), await screen(90)];
  const near = hammingDistance(await differenceHash(original), await differenceHash(alike));
  const far = hammingDistance(await differenceHash(original), await differenceHash(different));
  expect([near <= 3, far > 3]).toEqual([true, true]);
  const pool = lake.pool('sft');
  const moved = anEpisode('x', 2).turns.map((turn) => ({ ...turn, actions: [{ type: 'wait' as const }] }));
  const outcome = await pool.add([
    await anOffer(lake, 'first', {}, original),
    await anOffer(lake, 'looks alike', {}, alike),
    await anOffer(lake, 'another screen', {}, different),
    await anOffer(lake, 'other words', instructing('Press Cancel.'), original),
    await anOffer(lake, 'did something else', { turns: moved }, original),
  ]);
  expect(outcome.added).toEqual(['first', 'another screen', 'other words', 'did something else']);
  expect(outcome.duplicates).toEqual([{ episode: 'looks alike', original: 'first' }]);
  const later = await pool.add([await anOffer(lake, 'later', {}, alike)]);
  expect(later).toMatchObject({ version: 1, added: [], duplicates: [{ episode: 'later', original: 'first' }] });
});

test('no task of another split than train enters a pool, whatever else is said of it', async () => {
  const lake = await aLake();
  const { episode: template } = await anOffer(lake, 'usual');
  const split = fc.constantFrom<Split>('train', 'dev', 'test');
  const change = fc.record({
    split,
    named: split,
    success: fc.boolean(),
    purpose: fc.constantFrom('demonstration', 'ppo', 'rejection 2', 'imported', 'eval'),
    policy: fc.constantFrom('oracle', 'nano', 'human'),
    stage: fc.constantFrom(...poolStages),
    origin: fc.constantFrom('demonstration' as const, 'rollout' as const, 'imported' as const),
    seed: fc.nat(),
  });
  const sampleCount = (await Promise.all(poolStages.map((stage) => lake.pool(stage).samples()))).flat().length;
  await fc.assert(
    fc.asyncProperty(change, async ({ split: fieldSplit, named, success, purpose, policy, stage, origin, seed }) => {
      fc.pre(fieldSplit !== 'train' || named !== 'train');
      const task = { ...template.task, id: `forms/${named}/${seed}`, split: fieldSplit, seed };
      const verdict = { success, score: success ? 1 : 0, source: 'verifier' as const, evidence: {} };
      const bad = { episode: { ...template, id: `bad ${seed}`, task, purpose, policy, verdict }, origin, cycle: 1 };
      const good = { episode: { ...template, id: `good ${seed}` }, origin, cycle: 1 };
      const offered = lake.pool(stage).add([good, bad]);
      await expect(offered).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'episode.task.split' } });
    }),
    { numRuns: 100 },
  );
  const pooled = (await Promise.all(poolStages.map((stage) => lake.pool(stage).samples()))).flat();
  expect(pooled).toHaveLength(sampleCount);
});

test('a damaged version, or one that was made to say another split, is skipped and said', async () => {
  const dir = await aFolder();
  const lake = await aLake(dir);
  for (const id of ['a', 'b', 'c']) await lake.pool('sft').add([await anOffer(lake, id, instructing(`press ${id}`))]);
  const folder = join(dir, 'pools', 'sft');
  const [first = '', second = ''] = readdirSync(folder).sort();
  const bytes = readFileSync(join(folder, first));
  bytes[20]! ^= 1;
  writeFileSync(join(folder, first), bytes);
  const forged = readFileSync(join(folder, second), 'utf8').replace('"split":"train"', '"split":"test"');
  writeFileSync(join(folder, `00000004-${checksum(forged)}.jsonl`), forged);

  const damage: Damage[] = [];
  const reopened = await aLake(dir, (found) => damage.push(found));
  expect((await reopened.pool('sft').samples()).map(({ episode }) => episode)).toEqual(['b', 'c']);
  expect(damage.map(({ file }) => file)).toEqual([
    join('pools', 'sft', first),
    join('pools', 'sft', `00000004-${checksum(forged)}.jsonl`),
  ]);
});

test('an addition that the disk does not take leaves the pool as it was', async () => {
  const dir = await aFolder();
  const nodeFs = await import('node:fs/promises');
  let full = false;
  const rename: typeof nodeFs.rename = async (from, to) => {
    if (full && String(to).includes('pools')) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    await nodeFs.rename(from, to);
  };
  const lake = await Lake.open(dir, { fs: { ...nodeFs, rename } });
  onTestFinished(() => lake.close());
  await lake.pool('rl').add([await anOffer(lake, 'a', instructing('press a'))]);
  full = true;
  const offer = await anOffer(lake, 'b', instructing('press b'));
  await expect(lake.pool('rl').add([offer])).rejects.toMatchObject({ code: 'storage' });
  expect((await lake.pool('rl').samples()).map(({ episode }) => episode)).toEqual(['a']);
  full = false;
  expect(await lake.pool('rl').add([offer])).toMatchObject({ version: 2, added: ['b'] });
});
