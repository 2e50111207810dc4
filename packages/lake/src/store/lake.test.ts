import { createHash } from 'node:crypto';
import * as nodeFileSystem from 'node:fs/promises';
import { readFile, readdir, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { describe, expect, it } from 'vitest';
import { aFolder } from './folder.test.fixture.js';
import { type Damage, Lake } from '../index.js';
import { aTurn, allOf, anEpisode, record, startOf } from './sample.test.fixture.js';

const code = (code: string, field?: string) =>
  expect.objectContaining({ code, ...(field && { detail: expect.objectContaining({ field }) }) });

describe('episodes', () => {
  it('come back as they were, from this lake and from the next to open it', async () => {
    const dir = await aFolder();
    const lake = await Lake.open(dir);
    const ended = [
      anEpisode('a', 3),
      anEpisode('b/with:odd.name ☃'.repeat(30), 0, { end: { state: 'out_of_budget' } }),
      anEpisode('c', 1, { end: { state: 'infra_error', message: 'the page died' }, verdict: undefined }),
      anEpisode('d', 1, { task: { ...anEpisode('d', 0).task, instruction: 'half a pair \ud83d', seed: 2 ** 53 - 1 } }),
    ];
    for (const episode of ended) expect(await record(lake, episode)).toEqual(episode);
    expect(await allOf(lake)).toEqual(ended);
    expect(await lake.check()).toEqual({ episodes: 4, cut: 0, damaged: expect.any(Array), setAside: [] });
    await lake.close();
    expect(await allOf(await Lake.open(dir))).toEqual(ended);
    expect(await readdir(join(dir, 'wal'))).toEqual([]);
    expect(await readdir(join(dir, 'aside'))).toEqual([]);
  });

  it('come back with what a reader saw, what the actions hit, and what the oracle advised', async () => {
    const dir = await aFolder();
    const lake = await Lake.open(dir);
    const box = { x: 1.5, y: 0, width: 20, height: 9.1 };
    const reading = { reader: 'simulated', lines: [{ text: '设 ☃', box, centres: [2, 7.5, 20] }] };
    const plain = anEpisode('a', 2);
    const episode = {
      ...plain,
      turns: plain.turns.map((turn) => ({
        ...turn,
        reading,
        targets: [box, null],
        advice: { actions: turn.actions, targets: [null] },
      })),
    };
    expect(await record(lake, episode)).toEqual(episode);
    await lake.close();
    expect(await allOf(await Lake.open(dir))).toEqual([episode]);
  });

  it('are written as a file with each batch', async () => {
    const dir = await aFolder();
    const lake = await Lake.open(dir, { batch: 2 });
    for (let i = 0; i < 5; i++) await record(lake, anEpisode(`${i}`, 1));
    expect(await readdir(join(dir, 'episodes'))).toHaveLength(2);
    await lake.flush();
    expect(await readdir(join(dir, 'episodes'))).toHaveLength(3);
    expect((await allOf(lake)).map(({ id }) => id)).toEqual(['0', '1', '2', '3', '4']);
    await lake.close();
  });

  it('are found by what is said of them', async () => {
    const lake = await Lake.open(await aFolder(), { batch: 2 });
    const task = anEpisode('', 0).task;
    await record(lake, anEpisode('a', 1, { purpose: 'eval' }));
    await record(lake, anEpisode('b', 1, { task: { ...task, family: 'mines', split: 'test' } }));
    await record(
      lake,
      anEpisode('c', 1, { policy: 'random', verdict: { ...anEpisode('', 0).verdict!, success: false } }),
    );
    await record(lake, anEpisode('d', 1, { end: { state: 'infra_error', message: 'x' }, verdict: undefined }));
    const ids = async (filter: Parameters<typeof allOf>[1]) => (await allOf(lake, filter)).map(({ id }) => id).join('');
    expect(await ids({ purpose: 'eval' })).toBe('a');
    expect(await ids({ family: 'mines' })).toBe('b');
    expect(await ids({ family: ['mines', 'forms'], purpose: 'ppo' })).toBe('bcd');
    expect(await ids({ family: [] })).toBe('');
    expect(await ids({ split: 'train' })).toBe('acd');
    expect(await ids({ policy: 'random', success: undefined })).toBe('c');
    expect(await ids({ success: false })).toBe('c');
    expect(await ids({ success: true, policy: 'nano' })).toBe('ab');
    expect(await ids({ state: 'infra_error' })).toBe('d');
    expect(await ids({ ids: ['d', 'a', 'z'] })).toBe('ad');
    await lake.close();
  });

  it('are drawn at random from those that match, whole and each once', async () => {
    const dir = await aFolder();
    const lake = await Lake.open(dir, { batch: 12 });
    const episodes = Array.from({ length: 30 }, (_, i) =>
      anEpisode(`${i}`, 1 + (i % 3), i < 25 ? {} : { purpose: 'eval' }),
    );
    for (const episode of episodes) await record(lake, episode);
    let state = 1;
    const random = () => (state = (state * 16807) % 2147483647) / 2147483647;
    const drawn = await lake.sample({ purpose: 'ppo' }, 8, random);
    expect(new Set(drawn.map(({ id }) => id)).size).toBe(8);
    for (const episode of drawn) expect(episode).toEqual(episodes[Number(episode.id)]);
    expect(drawn.map(({ id }) => Number(id))).not.toEqual(drawn.map(({ id }) => Number(id)).sort((a, b) => a - b));
    expect(await lake.sample({ purpose: 'ppo' }, 100, random)).toHaveLength(25);
    expect(await lake.sample({ family: 'none' }, 3, random)).toEqual([]);
    await expect(lake.sample({}, 0, random)).rejects.toThrow(code('bad_input', 'count'));
    const seen = new Set<string>();
    for (let i = 0; i < 40; i++) for (const { id } of await lake.sample({ purpose: 'ppo' }, 5, random)) seen.add(id);
    expect(seen.size).toBe(25);
    const [name = ''] = await readdir(join(dir, 'episodes'));
    await truncate(join(dir, 'episodes', name), 50);
    const next = await Lake.open(dir, { onDamage: () => undefined });
    expect(await next.sample({}, 18, random)).toHaveLength(18);
    expect(await next.sample({}, 19, random)).toHaveLength(18);
    await Promise.all([lake.close(), next.close()]);
  });

  it('of two lakes at once in one folder are all there', async () => {
    const dir = await aFolder();
    const [first, second] = await Promise.all([Lake.open(dir, { batch: 7 }), Lake.open(dir, { batch: 5 })]);
    const write = (lake: Lake, name: string) =>
      Promise.all(Array.from({ length: 40 }, (_, i) => record(lake, anEpisode(`${name}${i}`, 2))));
    await Promise.all([write(first, 'one'), write(second, 'two')]);
    await second.close();
    expect(await allOf(first)).toHaveLength(80);
    await first.close();
  });

  it('can add the observation after a turn later', async () => {
    const lake = await Lake.open(await aFolder());
    const seen = { screenshot: 'c'.repeat(64), size: { width: 8, height: 8 } };
    const writer = await lake.begin(startOf(anEpisode('a', 0)));
    await expect(writer.see(seen)).rejects.toEqual(code('bad_input', 'observation'));
    await writer.append(aTurn(0));
    await writer.see(seen);
    await writer.append(aTurn(1));
    const { turns } = await writer.finish({ state: 'finished' });
    expect(turns).toEqual([{ ...aTurn(0), observation: seen }, aTurn(1)]);
    expect((await allOf(lake))[0]?.turns).toEqual(turns);
    await lake.close();
  });

  it('that ended by a fault give way to a repeat with a verdict, in any order and place', async () => {
    const dir = await aFolder();
    const fault = anEpisode('a', 1, { end: { state: 'infra_error', message: 'gone' }, verdict: undefined });
    const cut = anEpisode('a', 1, { end: { state: 'cut' }, verdict: undefined });
    const scored = anEpisode('a', 2);
    for (const [index, order] of [
      [fault, scored, cut],
      [cut, fault, scored],
      [scored, cut, fault],
    ].entries()) {
      for (const flushed of [false, true]) {
        const lake = await Lake.open(join(dir, `${index} ${flushed}`));
        for (const episode of order) {
          await record(lake, episode);
          if (flushed) await lake.flush();
        }
        expect(await allOf(lake)).toEqual([scored]);
        await lake.close();
      }
    }
  });

  it('that are still open when the lake is closed are cut', async () => {
    const lake = await Lake.open(await aFolder());
    const writer = await lake.begin(startOf(anEpisode('a', 0)));
    await writer.append(aTurn(0));
    await lake.close();
    expect(await allOf(lake)).toEqual([anEpisode('a', 1, { end: { state: 'cut' }, verdict: undefined })]);
    await expect(lake.begin(startOf(anEpisode('b', 0)))).rejects.toThrow(code('bad_input', 'lake'));
  });

  it('with one id count once: the whole one, else the first', async () => {
    const lake = await Lake.open(await aFolder(), { batch: 1 });
    await record(lake, anEpisode('a', 1, { end: { state: 'cut' }, verdict: undefined }));
    await record(lake, anEpisode('a', 2));
    await record(lake, anEpisode('a', 3));
    expect(await allOf(lake)).toEqual([anEpisode('a', 2)]);
    expect(await lake.check()).toMatchObject({ episodes: 1, cut: 0 });
    await lake.close();
  });
});

describe('bad input', () => {
  it('is refused with the field, and the episode goes on', async () => {
    const lake = await Lake.open(await aFolder());
    await expect(lake.begin({ ...startOf(anEpisode('a', 0)), seed: -1 })).rejects.toThrow(
      code('bad_input', 'start.seed'),
    );
    const writer = await lake.begin(startOf(anEpisode('a', 0)));
    await expect(lake.begin(startOf(anEpisode('a', 0)))).rejects.toThrow(code('bad_input', 'start.id'));
    await expect(writer.append(aTurn(1))).rejects.toThrow(code('bad_input', 'turn.index'));
    await expect(writer.append({ ...aTurn(0), reward: NaN })).rejects.toThrow(code('bad_input', 'turn.reward'));
    await writer.append(aTurn(0));
    const verdict = anEpisode('', 0).verdict!;
    await expect(writer.finish({ state: 'infra_error', message: 'x' }, verdict)).rejects.toThrow(
      code('bad_input', 'verdict'),
    );
    await expect(writer.finish({ state: 'finished' }, { ...verdict, evidence: { n: 1n } })).rejects.toThrow(
      code('bad_input', 'verdict.evidence'),
    );
    expect(await writer.finish({ state: 'finished' }, verdict)).toEqual(anEpisode('a', 1));
    await expect(writer.append(aTurn(1))).rejects.toThrow(code('bad_input', 'episode'));
    await expect(Lake.open('x', { batch: 0 })).rejects.toThrow(code('bad_input', 'batch'));
    await lake.close();
  });
});

describe('screenshots', () => {
  const png = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
  const hash = createHash('sha256').update(png).digest('hex');
  const pathOf = (dir: string) => join(dir, 'blobs', hash.slice(0, 2), `${hash}.png`);

  it('are stored once, under their content', async () => {
    const dir = await aFolder();
    let opened = 0;
    const open: typeof nodeFileSystem.open = (...args) => {
      opened++;
      return nodeFileSystem.open(...args);
    };
    const lake = await Lake.open(dir, { fs: { ...nodeFileSystem, open } });
    expect(await Promise.all([lake.putScreenshot(png), lake.putScreenshot(png, hash)])).toEqual([hash, hash]);
    const once = opened;
    await lake.putScreenshot(png, hash);
    expect(opened).toBe(once);
    expect(Buffer.from(await lake.screenshot(hash))).toEqual(Buffer.from(png));
    const second = await Lake.open(dir);
    await second.putScreenshot(png);
    await Promise.all([lake.close(), second.close()]);
    expect(await readdir(join(dir, 'aside'))).toEqual([]);
  });

  it('are refused under a hash that is not theirs', async () => {
    const lake = await Lake.open(await aFolder());
    await expect(lake.putScreenshot(png, 'c'.repeat(64))).rejects.toThrow(code('bad_input', 'hash'));
    await expect(lake.screenshot('../../etc/passwd')).rejects.toThrow(code('bad_input', 'hash'));
  });

  it('that are missing or changed are named as corrupt, and written again', async () => {
    const dir = await aFolder();
    const lake = await Lake.open(dir);
    await expect(lake.screenshot(hash)).rejects.toThrow(code('corrupt', pathOf(dir)));
    await lake.putScreenshot(png);
    await writeFile(pathOf(dir), png.subarray(1));
    await expect(lake.screenshot(hash)).rejects.toThrow(code('corrupt', pathOf(dir)));
    expect((await lake.check()).damaged).toEqual([
      {
        file: join('blobs', hash.slice(0, 2), `${hash}.png`),
        reason: expect.stringContaining('does not match its name'),
      },
    ]);
    const next = await Lake.open(dir);
    await next.putScreenshot(png);
    expect(await lake.screenshot(hash)).toHaveLength(1000);
    await Promise.all([lake.close(), next.close()]);
  });
});

describe('damage', () => {
  it('of a Parquet file is named; the file is skipped and the others are read', async () => {
    const dir = await aFolder();
    const lake = await Lake.open(dir, { batch: 1 });
    for (const id of ['a', 'b', 'c']) await record(lake, anEpisode(id, 20));
    await lake.close();
    const names = (await readdir(join(dir, 'episodes'))).sort();
    const path = join(dir, 'episodes', names[1]!);
    const { length } = await readFile(path);
    for (const rest of [0, 3, 8, length >> 1, length - 1]) {
      await truncate(path, rest);
      const damage: Damage[] = [];
      const next = await Lake.open(dir, { onDamage: (found) => damage.push(found) });
      expect((await allOf(next)).map(({ id }) => id)).toEqual(['a', 'c']);
      expect(damage.map(({ file }) => file)).toEqual([join('episodes', names[1]!)]);
      const census = await next.check();
      expect(census.episodes).toBe(2);
      expect(census.damaged).toContainEqual(damage[0]);
      await writeFile(path, Buffer.alloc(length, 7));
    }
  });

  it('of any byte of a Parquet file is found before the file is parsed', async () => {
    const dir = await aFolder();
    const lake = await Lake.open(dir);
    await record(lake, anEpisode('a', 2));
    await lake.close();
    const path = join(dir, 'episodes', (await readdir(join(dir, 'episodes')))[0]!);
    const bytes = await readFile(path);
    for (let offset = 0; offset < bytes.length; offset += 31) {
      const flipped = Buffer.from(bytes);
      flipped[offset] = flipped[offset]! ^ 0x10;
      await writeFile(path, flipped);
      const next = await Lake.open(dir, { onDamage: () => undefined });
      expect(await allOf(next)).toEqual([]);
    }
  });

  it('includes a missing screenshot that an episode refers to', async () => {
    const dir = await aFolder();
    const lake = await Lake.open(dir);
    const [first, second] = [await lake.putScreenshot(Buffer.from('1')), await lake.putScreenshot(Buffer.from('2'))];
    const show = (screenshot: string) => ({ screenshot, size: { width: 1, height: 1 } });
    const turns = [{ ...aTurn(0), observation: show(second) }];
    await record(lake, anEpisode('a', 0, { observation: show(first), turns }));
    expect((await lake.check()).damaged).toEqual([]);
    await unlink(join(dir, 'blobs', second.slice(0, 2), `${second}.png`));
    expect((await lake.check()).damaged).toEqual([
      { file: join('blobs', second.slice(0, 2), `${second}.png`), reason: 'it is missing; episode a refers to it' },
    ]);
    await lake.close();
  });
});

it('a lake says what it is, to people and to load_dataset, in a page that is theirs to edit', async () => {
  const dir = await aFolder();
  await (await Lake.open(dir)).close();
  const page = join(dir, 'README.md');
  expect(await readFile(page, 'utf8')).toMatch(/^---\nconfigs:[^]*data_files: episodes\/\*\.parquet\n---\n/);
  await writeFile(page, 'ours');
  await (await Lake.open(dir)).close();
  expect(await readFile(page, 'utf8')).toBe('ours');
});

it('a folder that cannot be made is a storage error', async () => {
  const dir = await aFolder();
  await writeFile(join(dir, 'file'), '');
  const failure: unknown = await Lake.open(join(dir, 'file', 'lake')).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(GyreError);
  expect(failure).toEqual(code('storage'));
});
