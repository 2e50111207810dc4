import { cp, readFile, readdir, rename, rm, stat, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checksum } from './checksum.js';
import { encodeEpisodes } from './episodeFile.js';
import { aFolder } from './folder.test.fixture.js';
import { Lake } from '../index.js';
import { allOf, anEpisode, record } from './sample.test.fixture.js';

const silent = { onDamage: () => undefined };
const screenshot = Buffer.from('a screenshot');

/** Creates four episodes in two Parquet files, two updates and a shared screenshot. */
async function aLake(): Promise<string> {
  const dir = await aFolder();
  const lake = await Lake.open(dir, { batch: 2 });
  const hash = await lake.putScreenshot(screenshot);
  const observation = { screenshot: hash, size: { width: 4, height: 4 } };
  for (const id of ['a', 'b', 'c', 'd']) await record(lake, anEpisode(id, 0, { observation }));
  for (const environmentSteps of [10, 20]) await lake.putUpdate({ environmentSteps });
  await lake.close();
  return dir;
}

async function filesOf(dir: string): Promise<string[]> {
  const names = await readdir(dir, { recursive: true });
  return names.filter((name) => /\.(png|parquet|json)$/.test(name)).sort();
}

async function check(dir: string, options: { repair?: boolean } = {}) {
  const lake = await Lake.open(dir, silent);
  const census = await lake.check(options);
  const ids = (await allOf(lake)).map(({ id }) => id).join('');
  await lake.close();
  return { ...census, ids };
}

describe('gyre lake check', () => {
  it('finds nothing in a lake that is whole', async () => {
    expect(await check(await aLake())).toMatchObject({ episodes: 4, damaged: [], ids: 'abcd' });
  });

  it('finds every file that was deleted, cut, altered or renamed, and --repair ends with a lake that is whole', async () => {
    const pristine = await aLake();
    const files = await filesOf(pristine);
    expect(files.filter((file) => file.endsWith('.parquet'))).toHaveLength(2);
    expect(files.filter((file) => file.startsWith('manifest'))).toHaveLength(4);
    const wounds: Record<string, (path: string) => Promise<void>> = {
      deleted: (path) => unlink(path),
      cut: async (path) => truncate(path, (await stat(path)).size - 1),
      altered: async (path) => {
        const bytes = await readFile(path);
        bytes[bytes.length >> 1]! ^= 4;
        await writeFile(path, bytes);
      },
      renamed: (path) => rename(path, path.replace(/(?=\.\w+$)/, 'x')),
    };
    const kinds = new Map(files.map((file) => [file.replace(/\/.*(?=\.)/, ''), file]));
    for (const file of [...kinds.values(), 'manifest/00000001.json']) {
      for (const [woundName, wound] of Object.entries(wounds)) {
        const dir = join(await aFolder(), 'lake');
        await cp(pristine, dir, { recursive: true });
        await wound(join(dir, file));
        const { damaged } = await check(dir);
        expect(
          damaged.map((each) => each.reason),
          `${file} ${woundName}`,
        ).not.toEqual([]);
        const repaired = await check(dir, { repair: true });
        for (const each of repaired.damaged)
          expect(each.setAside !== undefined || each.accepted || file.endsWith('.png')).toBe(true);
        const after = await check(dir);
        const lost = after.damaged.filter(({ reason }) => !reason.includes('refers to it'));
        expect(lost, `${file} ${woundName}, repaired`).toEqual([]);
      }
    }
  });

  it('finds two files that were swapped', async () => {
    const dir = await aLake();
    const [first = '', second = ''] = (await readdir(join(dir, 'episodes'))).map((name) => join(dir, 'episodes', name));
    await rename(first, join(dir, 'aside.tmp'));
    await rename(second, first);
    await rename(join(dir, 'aside.tmp'), second);
    expect((await check(dir)).damaged).toHaveLength(2);
  });

  it('finds a file of other episodes under a name that fits it', async () => {
    const dir = await aLake();
    const [name = ''] = await readdir(join(dir, 'episodes'));
    const bytes = encodeEpisodes([anEpisode('forged', 1)]);
    await unlink(join(dir, 'episodes', name));
    const forged = name.replace(/[0-9a-f]{8}(?=\.parquet)/, checksum(bytes));
    await writeFile(join(dir, 'episodes', forged), bytes);
    const { damaged } = await check(dir);
    expect(damaged).toContainEqual({
      file: `episodes/${name}`,
      reason: expect.stringContaining('lists it with 2 episodes'),
    });
    expect(damaged).toContainEqual({
      file: `episodes/${forged}`,
      reason: expect.stringContaining('the manifest does not list it'),
    });
  });

  it('notices that the manifest, its last entries or all of it with what names it were deleted', async () => {
    for (const gone of [['manifest/00000004.json'], ['manifest'], ['lake.json'], ['manifest', 'lake.json']]) {
      const dir = await aLake();
      for (const name of gone) await rm(join(dir, name), { recursive: true });
      expect((await check(dir)).damaged, gone.join()).not.toEqual([]);
      await check(dir, { repair: true });
      expect(await check(dir)).toMatchObject({ damaged: [], ids: 'abcd' });
      const [name = ''] = await readdir(join(dir, 'episodes'));
      await unlink(join(dir, 'episodes', name));
      expect((await check(dir)).damaged).toHaveLength(1);
    }
  });

  it('gives a renamed file its name again', async () => {
    const dir = await aLake();
    const [name = ''] = await readdir(join(dir, 'episodes'));
    for (const renamed of [`x${name}`, name.replace('.parquet', 'x.parquet')]) {
      await rename(join(dir, 'episodes', name), join(dir, 'episodes', renamed));
      expect((await check(dir)).damaged).toContainEqual({
        file: `episodes/${name}`,
        reason: expect.stringContaining(`${renamed} has its content`),
      });
      await check(dir, { repair: true });
      expect(await readdir(join(dir, 'episodes'))).toContain(name);
      expect(await check(dir)).toMatchObject({ damaged: [], ids: 'abcd' });
    }
  });

  it('of a lake that is older than manifests says that it has none, and --repair makes one', async () => {
    const dir = await aLake();
    await rm(join(dir, 'manifest'), { recursive: true });
    await rm(join(dir, 'lake.json'));
    const folder = join(dir, 'episodes');
    for (const name of await readdir(folder)) {
      const bytes = Buffer.from(
        (await readFile(join(folder, name))).toString('latin1').replace('gyre lake 2', 'gyre lake 1'),
        'latin1',
      );
      await unlink(join(folder, name));
      await writeFile(join(folder, name.replace(/[0-9a-f]{8}(?=\.parquet)/, checksum(bytes))), bytes);
    }
    expect(await check(dir)).toMatchObject({ episodes: 4, damaged: [], older: 4, ids: 'abcd' });
    const lake = await Lake.open(dir);
    await record(lake, anEpisode('e', 1));
    await lake.close();
    expect((await check(dir)).damaged.filter(({ reason }) => !reason.includes('refers to it'))).toEqual([]);
    await check(dir, { repair: true });
    expect(await check(dir)).not.toHaveProperty('older');
  });

  it('is right beside processes that write', async () => {
    const dir = await aFolder();
    const lakes = await Promise.all(Array.from({ length: 3 }, () => Lake.open(dir, { batch: 2 })));
    const [reading] = [await Lake.open(dir)];
    const hash = await lakes[0]!.putScreenshot(screenshot);
    const observation = { screenshot: hash, size: { width: 4, height: 4 } };
    const writers = { done: false };
    const writing = Promise.all(
      lakes.map(async (lake, number) => {
        for (let i = 0; i < 24; i++) await record(lake, anEpisode(`${number}/${i}`, 0, { observation }));
        await lake.close();
      }),
    ).finally(() => {
      writers.done = true;
    });
    while (!writers.done) expect((await reading.check()).damaged).toEqual([]);
    await writing;
    expect(await reading.check()).toMatchObject({ episodes: 72, damaged: [] });
    expect(await readdir(join(dir, 'manifest'))).toHaveLength(36);
    await reading.close();
  });
});

describe('an entry of the manifest', () => {
  it('that is truncated at any byte or has any bit flipped is reported once, and no stored data is lost', async () => {
    const pristine = await aLake();
    const names = await readdir(join(pristine, 'manifest'));
    const wound = fc.record({
      entry: fc.nat(names.length - 1),
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      bit: fc.option(fc.nat(7), { freq: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(wound, async ({ entry, at: offset, bit }) => {
        const dir = join(await aFolder(), 'lake');
        await cp(pristine, dir, { recursive: true });
        const path = join(dir, 'manifest', names[entry]!);
        const bytes = await readFile(path);
        const place = Math.floor(offset * bytes.length);
        if (bit !== null) bytes[place]! ^= 1 << bit;
        await writeFile(path, bit === null ? bytes.subarray(0, place) : bytes);
        const report = await check(dir);
        expect(report.ids).toBe('abcd');
        expect(report.damaged.map(({ file }) => file)).toContain(join('manifest', names[entry]!));
        await check(dir, { repair: true });
        expect(await check(dir)).toMatchObject({ damaged: [], ids: 'abcd' });
      }),
      { numRuns: 20 },
    );
  });
});
