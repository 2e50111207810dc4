import { cp, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Episode } from '@gyre/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aFolder } from '../folder.test.fixture.js';
import { Lake } from '../../index.js';
import { aTurn, allOf, anEpisode, record, startOf } from '../sample.test.fixture.js';
import { encodeLine } from '../writeAhead.js';

const silent = { onDamage: () => undefined };

async function shownEpisode(lake: Lake, id: string): Promise<Episode> {
  const show = async (text: string) => ({
    screenshot: await lake.putScreenshot(Buffer.from(text.padEnd(40, '.'))),
    size: { width: 640, height: 480 },
  });
  const turns = [0, 1].map(async (i) => ({ ...aTurn(i), observation: await show(`${id} ${i}`) }));
  return anEpisode(id, 0, { observation: await show('all'), turns: await Promise.all(turns) });
}

/** Creates five episodes in Parquet and one in a dead process's write-ahead file. */
async function aLake(): Promise<{ dir: string; episodes: Episode[] }> {
  const dir = await aFolder();
  const lake = await Lake.open(dir, { batch: 2 });
  const episodes: Episode[] = [];
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) episodes.push(await shownEpisode(lake, id));
  for (const episode of episodes.slice(0, 5)) await record(lake, episode);
  await lake.close();
  const { end, verdict, turns, ...start } = episodes[5]!;
  const lines = [{ start }, ...turns.map((turn) => ({ turn })), { end, verdict: verdict! }].map(encodeLine);
  await writeFile(join(dir, 'wal', '999999999-dead.0.f.jsonl'), Buffer.concat(lines));
  return { dir, episodes };
}

async function filesOf(dir: string): Promise<Map<string, Buffer>> {
  const names = (await readdir(dir, { recursive: true })).filter((name) => /\.(png|parquet|jsonl)$/.test(name)).sort();
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(dir, name))] as const)));
}

const shownBy = ({ observation, turns }: Episode) => [observation, ...turns.map((turn) => turn.observation)];

describe('gyre lake check --repair', () => {
  it('sets aside what is damaged: what is intact is there, and nothing else is', async () => {
    const { dir, episodes } = await aLake();
    const pristine = await filesOf(dir);
    const lake = await Lake.open(await aFolder());
    await lake.close();
    const inFile = new Map<string, string[]>();
    const parquet = [...pristine.keys()].filter((name) => name.endsWith('.parquet'));
    for (const [i, name] of parquet.entries()) {
      inFile.set(
        name,
        episodes.slice(2 * i, Math.min(2 * i + 2, 5)).map(({ id }) => id),
      );
    }
    const wal = [...pristine.keys()].find((name) => name.endsWith('.jsonl'))!;
    inFile.set(wal, ['f']);

    const wound = fc.record({
      file: fc.nat(pristine.size - 1),
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      bit: fc.option(fc.nat(7), { freq: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(wound, { minLength: 1, maxLength: 3 }), async (wounds) => {
        const copy = join(await aFolder(), 'lake');
        await cp(dir, copy, { recursive: true });
        const files = new Map([...pristine].map(([name, bytes]) => [name, Buffer.from(bytes)]));
        for (const { file, at: offset, bit } of wounds) {
          const [name, bytes] = [...files][file]!;
          const place = Math.floor(offset * bytes.length);
          if (bit === null) files.set(name, bytes.subarray(0, place));
          else if (bytes.length > 0) bytes[place] = bytes[place]! ^ (1 << bit);
        }
        const hurt = new Set<string>();
        for (const [name, bytes] of files) {
          if (bytes.equals(pristine.get(name)!)) continue;
          hurt.add(name);
          await writeFile(join(copy, name), bytes);
        }
        const lost = new Set([...hurt].map((name) => /([0-9a-f]{64})\.png$/.exec(name)?.[1]));
        const mended = await Lake.open(copy, silent);
        const { damaged } = await mended.check({ repair: true });
        expect(damaged.filter(({ setAside }) => setAside === undefined)).toEqual([]);
        const stored = new Map((await allOf(mended)).map((episode) => [episode.id, episode]));
        for (const episode of episodes) {
          const { id } = episode;
          const file = [...inFile].find(([, ids]) => ids.includes(id))![0];
          const seen = shownBy(episode).every(({ screenshot }) => !lost.has(screenshot));
          if (!hurt.has(file)) expect(stored.get(id)).toEqual(seen ? episode : undefined);
          else if (file !== wal) expect(stored.has(id)).toBe(false);
          else {
            const rest = stored.get(id);
            expect(rest?.turns ?? []).toEqual(episode.turns.slice(0, rest?.turns.length ?? 0));
            for (const { screenshot } of rest ? shownBy(rest) : []) expect(lost.has(screenshot)).toBe(false);
          }
        }
        // A torn write-ahead file has become its episode.
        const aside = [...(await filesOf(join(copy))).entries()].filter(([name]) => name.startsWith('damaged/'));
        for (const name of hurt) {
          if (name !== wal) expect(aside.some(([, bytes]) => bytes.equals(files.get(name)!))).toBe(true);
        }
        expect(await mended.check()).toMatchObject({
          damaged: [],
          episodes: stored.size,
          setAside: { length: aside.length },
        });
        await mended.close();
      }),
      { numRuns: 15 },
    );
  });

  it('says what it found and where it has put it; a screenshot that is stored again is whole again', async () => {
    const { dir, episodes } = await aLake();
    const screenshot = episodes[0]!.turns[0]!.observation.screenshot;
    const file = join('blobs', screenshot.slice(0, 2), `${screenshot}.png`);
    await writeFile(join(dir, file), 'no picture');
    await writeFile(join(dir, 'blobs', 'stray'), '');
    const lake = await Lake.open(dir, silent);
    expect(lake.recovered).toBe(1);
    const reason = expect.any(String);
    expect((await lake.check()).damaged).toEqual([
      { file, reason },
      { file: join('blobs', 'stray'), reason },
    ]);
    const { damaged, episodes: count, setAside } = await lake.check({ repair: true });
    expect(damaged.map((each) => each.reason)).toEqual([
      expect.stringContaining('does not match its name'),
      expect.stringContaining('not a content hash'),
      '1 of its episodes refer to a lost screenshot',
    ]);
    expect([count, setAside.length]).toEqual([5, 3]);
    expect((await allOf(lake)).map(({ id }) => id)).toEqual(['b', 'c', 'd', 'e', 'f']);
    await lake.close();
    const next = await Lake.open(dir);
    await next.putScreenshot(Buffer.from('a 0'.padEnd(40, '.')));
    expect(await next.screenshot(screenshot)).toHaveLength(40);
    expect((await next.check()).damaged).toEqual([]);
    await next.close();
  });

  it('leaves alone the episodes that are being written', async () => {
    const dir = await aFolder();
    const lake = await Lake.open(dir);
    const episode = await shownEpisode(lake, 'a');
    const writer = await lake.begin(startOf(episode));
    await writer.append(episode.turns[0]!);
    const second = await Lake.open(dir);
    expect(await second.check({ repair: true })).toEqual({ episodes: 0, cut: 0, damaged: [], setAside: [] });
    await writer.append(episode.turns[1]!);
    await writer.finish(episode.end, episode.verdict);
    await lake.close();
    expect(await allOf(second)).toEqual([episode]);
    await second.close();
  });
});
