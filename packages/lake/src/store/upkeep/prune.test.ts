import * as nodeFileSystem from 'node:fs/promises';
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentHash, Episode } from '@gyre/protocol';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { checksum } from '../checksum.js';
import { aFolder } from '../folder.test.fixture.js';
import { type FileSystem, Lake } from '../../index.js';
import type { PoolSample } from '../../pools/poolSample.js';
import { aTurn, allOf, anEpisode, record, startOf } from '../sample.test.fixture.js';

afterEach(() => vi.restoreAllMocks());

async function open(dir: string, fs?: FileSystem): Promise<Lake> {
  const lake = await Lake.open(dir, { batch: 3, ...(fs && { fs }) });
  onTestFinished(() => lake.close().catch(() => undefined));
  return lake;
}

const png = (text: string) => Buffer.alloc(500, `${text}\n`);

async function recordAged(lake: Lake, id: string, days: number, change: Partial<Episode> = {}): Promise<Episode> {
  const size = { width: 640, height: 480 };
  const observation = { screenshot: await lake.putScreenshot(png('shared')), size };
  const turns = [{ ...aTurn(0), observation: { screenshot: await lake.putScreenshot(png(id)), size } }];
  const startedAt = new Date(Date.now() - days * 86_400_000).toISOString();
  return record(lake, anEpisode(id, 0, { observation, turns, startedAt, ...change }));
}

const pathOf = (dir: string, hash: ContentHash) => join(dir, 'blobs', hash.slice(0, 2), `${hash}.png`);
const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

async function age(dir: string): Promise<void> {
  const time = Date.now() / 1000 - 7200;
  for (const name of await readdir(join(dir, 'blobs'), { recursive: true })) {
    if (name.endsWith('.png')) await utimes(join(dir, 'blobs', name), time, time);
  }
}

async function bytesOf(dir: string): Promise<number> {
  const names = (await readdir(dir, { recursive: true })).filter((name) => /\.(png|parquet|jsonl)$/.test(name));
  return (await Promise.all(names.map((name) => stat(join(dir, name))))).reduce((sum, { size }) => sum + size, 0);
}

/** Creates ten episodes, a day apart; the oldest and the fifth are evaluations. */
async function aLake(): Promise<{ dir: string; lake: Lake; bytes: number; screenshots: ContentHash[] }> {
  const dir = await aFolder();
  const lake = await open(dir);
  const screenshots: ContentHash[] = [];
  for (let i = 0; i < 10; i++) {
    const change = i === 0 || i === 4 ? { purpose: i === 0 ? 'eval' : 'eval trained' } : {};
    screenshots.push((await recordAged(lake, `${i}`, 9.5 - i, change)).turns[0]!.observation.screenshot);
  }
  await lake.flush();
  await age(dir);
  return { dir, lake, bytes: await bytesOf(dir), screenshots };
}

const idsOf = async (lake: Lake) => (await allOf(lake)).map(({ id }) => id).join('');

describe('pruning', () => {
  it.each([
    [{}, '0123456789'],
    [{ keepDays: 4 }, '046789'],
    [{ keepEpisodes: 2 }, '0489'],
    [{ keepEpisodes: 0 }, '04'],
    [{ keepDays: 7, keepEpisodes: 5 }, '0456789'],
    [{ keepDays: 5, protect: [] }, '56789'],
  ])('by %j keeps the episodes %s, their screenshots and no other', async (options, remaining) => {
    const { dir, lake, bytes, screenshots } = await aLake();
    const planned = await lake.prune({ ...options, dryRun: true });
    expect(await bytesOf(dir)).toBe(bytes);
    const report = await lake.prune(options);
    expect(report).toEqual(planned);
    expect(report.episodes).toMatchObject({ before: 10, dropped: 10 - remaining.length });
    expect(report.screenshots).toEqual({ before: 11, dropped: 10 - remaining.length });
    expect(report.bytes.before).toBe(bytes);
    for (const [i, hash] of screenshots.entries())
      expect(await isThere(pathOf(dir, hash))).toBe(remaining.includes(`${i}`));
    expect(await idsOf(lake)).toBe(remaining);
    const next = await open(dir);
    expect(await next.check()).toEqual({ episodes: remaining.length, cut: 0, damaged: [], setAside: [] });
    expect(await idsOf(next)).toBe(remaining);
  });

  it('keeps episodes in pools, unless the option allows pruning them', async () => {
    const { dir, lake } = await aLake();
    const look = { text: '0'.repeat(16), screen: '0'.repeat(16) };
    const sample: PoolSample = {
      ...{ episode: '2', turns: 'all', family: 'form', split: 'train', policy: 'nano', cycle: 1, origin: 'rollout' },
      ...{ weight: 1, look },
    };
    const line = `${JSON.stringify(sample)}\n`;
    await mkdir(join(dir, 'pools', 'ct'), { recursive: true });
    await writeFile(join(dir, 'pools', 'ct', `00000001-${checksum(line)}.jsonl`), line);
    const dry = await lake.prune({ keepEpisodes: 0, dryRun: true });
    expect(dry.episodes).toEqual({ before: 10, protected: 3, dropped: 7 });
    await lake.prune({ keepEpisodes: 0 });
    expect(await idsOf(lake)).toBe('024');
    await lake.prune({ keepEpisodes: 0, pooled: true });
    expect(await idsOf(lake)).toBe('04');
  });

  it('drops nothing where a pool cannot be read', async () => {
    const { dir, lake } = await aLake();
    await mkdir(join(dir, 'pools', 'ct'), { recursive: true });
    await writeFile(join(dir, 'pools', 'ct', '00000001-00000000.jsonl'), '{');
    await expect(lake.prune({ keepEpisodes: 0 })).rejects.toMatchObject({ code: 'corrupt' });
    expect(await idsOf(lake)).toBe('0123456789');
  });

  it("removes people's speech with its episode, and recordings that no other episode has", async () => {
    const { dir, lake } = await aLake();
    const stays = await lake.putAudio(Buffer.from('stays'));
    const goes = await lake.putAudio(Buffer.from('goes'));
    const saidAt = new Date().toISOString();
    for (const [episode, hash] of [
      ['1', goes],
      ['1', stays],
      ['9', stays],
    ] as const)
      await lake.putSpeech({ type: 'recording', episode, by: 'ann', at: saidAt, hash, durationMs: 500 });
    const turn = { turn: 0, turnAt: saidAt };
    await lake.putSpeech({ type: 'wording', episode: '1', ...turn, at: saidAt, by: 'ann', text: 'Save it.' });
    const planned = await lake.prune({ keepEpisodes: 1, dryRun: true });
    expect(await lake.audio(goes)).toEqual(Buffer.from('goes'));
    expect(await lake.prune({ keepEpisodes: 1 })).toEqual(planned);
    expect(planned.recordings).toEqual({ dropped: 1 });
    await expect(lake.audio(goes)).rejects.toMatchObject({ code: 'corrupt' });
    const next = await open(dir);
    expect(await next.audio(stays)).toEqual(Buffer.from('stays'));
    for (const each of [lake, next]) expect([...(await each.speech()).keys()]).toEqual(['9']);
    expect((await next.check()).damaged).toEqual([]);
  });

  it('by size drops as many of the oldest as it takes', async () => {
    const { dir, lake, bytes } = await aLake();
    const maxBytes = Math.round(bytes * 0.6);
    const { episodes, bytes: estimate } = await lake.prune({ maxBytes });
    expect(episodes.dropped).toBeGreaterThan(0);
    expect(episodes.dropped).toBeLessThan(8);
    expect(estimate.after).toBeLessThanOrEqual(maxBytes);
    expect(await bytesOf(dir)).toBeLessThan(estimate.after + 2000);
    expect(await idsOf(lake)).toMatch(/^04?\d*9$/);
    expect((await lake.prune({ maxBytes: 0, protect: ['ppo', 'eval'] })).bytes.after).toBeGreaterThan(0);
  });

  it('leaves alone what a person has put there', async () => {
    const { dir, lake } = await aLake();
    await nodeFileSystem.mkdir(join(dir, 'blobs', 'no'));
    await writeFile(join(dir, 'blobs', 'no', 'note.png'), 'mine');
    await age(dir);
    expect((await lake.prune({})).screenshots).toEqual({ before: 11, dropped: 0 });
    expect(await isThere(join(dir, 'blobs', 'no', 'note.png'))).toBe(true);
  });

  it('refuses what makes no sense, and a lake with a damaged file', async () => {
    const { dir, lake } = await aLake();
    const refused = expect.objectContaining({
      code: 'bad_input',
      detail: expect.objectContaining({ field: 'keepDays' }),
    });
    await expect(lake.prune({ keepDays: -1 })).rejects.toEqual(refused);
    const [name = ''] = await readdir(join(dir, 'episodes'));
    await writeFile(join(dir, 'episodes', name), 'torn');
    vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    await expect(lake.prune({ keepEpisodes: 0 })).rejects.toMatchObject({ code: 'corrupt' });
  });

  it('is for one process at a time', async () => {
    const { dir, lake } = await aLake();
    let go = () => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    let opened = false;
    const readFile = (async (...args: Parameters<FileSystem['readFile']>) => {
      if (opened) await gate;
      return nodeFileSystem.readFile(...args);
    }) as FileSystem['readFile'];
    const slow = await open(dir, { ...nodeFileSystem, readFile });
    opened = true;
    const first = slow.prune({});
    await vi.waitFor(async () => expect(await readdir(join(dir, 'maintenance', 'lock'))).toContain('00000001.held'));
    const heldError = expect.objectContaining({ code: 'held' });
    await expect(lake.prune({})).rejects.toEqual(heldError);
    await expect(lake.check({ repair: true })).rejects.toEqual(heldError);
    await expect(slow.prune({})).rejects.toEqual(heldError);
    go();
    await first;
    await lake.prune({});
    expect(await readdir(join(dir, 'aside'))).toEqual([]);
  });
});

describe('beside processes that write', () => {
  it('keeps the screenshots of episodes that are not in Parquet yet', async () => {
    const { dir, lake, screenshots } = await aLake();
    const writing = await open(dir);
    const [used, next] = [screenshots[1]!, screenshots[2]!];
    const size = { width: 640, height: 480 };
    const episode = anEpisode('new', 1, { observation: { screenshot: used, size } });
    const writer = await writing.begin(startOf(episode));
    await lake.prune({ keepEpisodes: 0 });
    expect(await isThere(pathOf(dir, used))).toBe(true);
    expect(await isThere(pathOf(dir, next))).toBe(false);
    await writer.finish({ state: 'finished' });
  });

  it('keeps a screenshot that was stored again in this hour', async () => {
    const { dir, lake, screenshots } = await aLake();
    const writing = await open(dir);
    await writing.putScreenshot(png('1'));
    await lake.prune({ keepEpisodes: 0 });
    expect(await isThere(pathOf(dir, screenshots[1]!))).toBe(true);
    expect(await isThere(pathOf(dir, screenshots[2]!))).toBe(false);
  });

  it('has a process that stored a screenshot long ago look again', async () => {
    const { dir, lake, screenshots } = await aLake();
    await lake.putScreenshot(png('1'), screenshots[1]);
    const pruning = await open(dir);
    await age(dir);
    await pruning.prune({ keepEpisodes: 0 });
    expect(await isThere(pathOf(dir, screenshots[1]!))).toBe(false);
    const later = Date.now() + 3_600_000;
    vi.spyOn(Date, 'now').mockImplementation(() => later);
    await lake.putScreenshot(png('1'), screenshots[1]);
    expect(await isThere(pathOf(dir, screenshots[1]!))).toBe(true);
  });

  it('loses nothing that they write, nor what others read meanwhile', async () => {
    const dir = await aFolder();
    const [writing, pruning, reading] = await Promise.all([open(dir), open(dir), open(dir)]);
    let done = false;
    const write = async () => {
      for (let i = 0; i < 60; i++) await recordAged(writing, `new${i}`, 1 - i / 1000);
      await writing.flush();
      done = true;
    };
    const prune = async () => {
      while (!done) {
        await age(dir);
        await pruning.prune({ keepEpisodes: 7 });
      }
    };
    const read = async () => {
      while (!done) for await (const { id } of reading.episodes()) expect(id).toMatch(/^new/);
    };
    vi.spyOn(process, 'emitWarning').mockImplementation((warning) => expect(warning).toBeUndefined());
    await Promise.all([write(), prune(), read()]);
    expect((await pruning.prune({ keepEpisodes: 7 })).episodes.before).toBeGreaterThanOrEqual(7);
    expect((await allOf(reading)).map(({ id }) => id).sort()).toEqual(
      Array.from({ length: 7 }, (_, i) => `new${53 + i}`).sort(),
    );
  });
});

it('interrupted at any step, pruning leaves a whole lake with everything that stays', async () => {
  const { dir, lake } = await aLake();
  const saidAt = new Date().toISOString();
  const spoken = await Promise.all(['1', '9'].map((episode) => lake.putAudio(Buffer.from(episode))));
  for (const [i, episode] of ['1', '9'].entries())
    await lake.putSpeech({ type: 'recording', episode, by: 'ann', at: saidAt, hash: spoken[i]!, durationMs: 500 });
  let steps: number;
  const step =
    <A extends unknown[], R>(act: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (steps-- <= 0) throw Object.assign(new Error('EIO'), { code: 'EIO' });
      return act(...args);
    };
  const { open: openFile, rename, unlink } = nodeFileSystem;
  const fs: FileSystem = { ...nodeFileSystem, open: step(openFile), rename: step(rename), unlink: step(unlink) };
  for (let last = 0, finished = false; !finished; last++) {
    const copy = join(await aFolder(), 'lake');
    await nodeFileSystem.cp(dir, copy, { recursive: true, preserveTimestamps: true });
    steps = Infinity;
    const dying = await Lake.open(copy, { fs });
    steps = last;
    finished = await dying.prune({ keepDays: 4 }).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({ code: 'storage' });
        return false;
      },
    );
    steps = Infinity;
    await dying.close();
    const next = await open(copy);
    expect((await next.check()).damaged).toEqual([]);
    expect(await readdir(join(copy, 'aside'))).toEqual([]);
    const ids = await idsOf(next);
    for (const id of '046789') expect(ids).toContain(id);
    expect(await next.audio(spoken[1]!)).toEqual(Buffer.from('9'));
    const speakers = [...(await next.speech()).keys()];
    expect(speakers).toContain('9');
    if (!ids.includes('1')) expect(speakers).toEqual(['9']);
    if (finished) expect(ids).toBe('046789');
  }
});
