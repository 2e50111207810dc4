import { spawn } from 'node:child_process';
import { mkdir, readFile, readdir, rename, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { aFolder } from '../folder.test.fixture.js';
import { Lake } from '../../index.js';
import { aTurn, allOf, anEpisode, record, startOf } from '../sample.test.fixture.js';
import { encodeLine } from '../writeAhead.js';

const dyingWriter = fileURLToPath(new URL('../dyingWriter.test.fixture.js', import.meta.url));

/** Kills a writer after `lines` acknowledgements and returns them. */
function killAfter(dir: string, name: string, lines: number): Promise<Map<string, { turns: number; ended: boolean }>> {
  const child = spawn(process.execPath, [dyingWriter, dir, name], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString();
    if (output.split('\n').length > lines) child.kill('SIGKILL');
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => {
      const seen = new Map<string, { turns: number; ended: boolean }>();
      for (const line of output.split('\n').slice(0, -1)) {
        const [event, id = ''] = line.split(' ');
        if (event === 'begin') seen.set(id, { turns: 0, ended: false });
        const episode = seen.get(id)!;
        if (event === 'turn') episode.turns++;
        if (event === 'end') episode.ended = true;
      }
      resolve(seen);
    });
  });
}

async function leave(dir: string, bytes: Uint8Array): Promise<void> {
  await mkdir(join(dir, 'wal'), { recursive: true });
  await writeFile(join(dir, 'wal', '999999999-dead.0.a.jsonl'), bytes);
}

async function writeAheadFiles(dir: string): Promise<string[]> {
  return (await readdir(join(dir, 'wal'))).filter((name) => name.endsWith('.jsonl'));
}

const begun = encodeLine({ start: startOf(anEpisode('a', 0)) });
const cut = (turns: number) => anEpisode('a', turns, { end: { state: 'cut' }, verdict: undefined });

describe('when a process is killed', () => {
  it.each([1, 9, 40, 333])('after %i acknowledgements, everything acknowledged is in the lake once', async (lines) => {
    const dir = await aFolder();
    const acknowledged = await killAfter(dir, 'dying', lines);
    const lake = await Lake.open(dir);
    const stored = new Map((await allOf(lake)).map((episode) => [episode.id, episode]));
    for (const [id, { turns, ended }] of acknowledged) {
      const episode = stored.get(id)!;
      if (ended) expect(episode).toEqual(anEpisode(id, 5));
      expect(episode.turns.length).toBeGreaterThanOrEqual(turns);
      expect(episode.turns).toEqual(anEpisode(id, 5).turns.slice(0, episode.turns.length));
      expect(['finished', 'cut']).toContain(episode.end.state);
    }
    expect(stored.size - acknowledged.size).toBeLessThanOrEqual(1);
    const unfinished = [...stored.values()].filter(({ end }) => end.state === 'cut').length;
    expect(unfinished).toBeLessThanOrEqual(1);
    expect(await lake.check()).toMatchObject({ episodes: stored.size, cut: unfinished });
    await lake.close();
    expect(await readdir(join(dir, 'wal'))).toEqual([]);
    expect(await readdir(join(dir, 'aside'))).toEqual([]);
  });

  it('several openers at once recover its episodes once', async () => {
    const dir = await aFolder();
    const killed = await Promise.all([killAfter(dir, 'x', 30), killAfter(dir, 'y', 30)]);
    const lakes = await Promise.all(Array.from({ length: 4 }, () => Lake.open(dir)));
    for (const lake of lakes) await lake.close();
    const rows = (await allOf(lakes[0]!)).map(({ id }) => id);
    expect(new Set(rows).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThanOrEqual(killed[0].size + killed[1].size);
  });
});

describe('recovery', () => {
  it('leaves alone what living processes write', async () => {
    const dir = await aFolder();
    const living = await Lake.open(dir);
    const writer = await living.begin(startOf(anEpisode('a', 0)));
    await writer.append(aTurn(0));
    const second = await Lake.open(dir);
    expect(await allOf(second)).toEqual([]);
    await writer.append(aTurn(1));
    await writer.finish({ state: 'finished' }, anEpisode('', 0).verdict);
    await living.close();
    expect(await allOf(second)).toEqual([anEpisode('a', 2)]);
    await second.close();
  });

  it('drops a torn last line, and a start that was never acknowledged', async () => {
    const dir = await aFolder();
    const line = encodeLine({ turn: aTurn(0) });
    await leave(dir, Buffer.concat([begun, line, encodeLine({ turn: aTurn(1) }).subarray(0, -9)]));
    expect(await allOf(await Lake.open(dir))).toEqual([cut(1)]);
    await leave(dir, begun.subarray(0, 40));
    const lake = await Lake.open(dir);
    expect(await allOf(lake)).toHaveLength(1);
    expect(await writeAheadFiles(dir)).toEqual([]);
  });

  it('keeps the turns before a damaged line, and the damaged file for a look', async () => {
    const dir = await aFolder();
    const bad = encodeLine({ turn: aTurn(1) });
    bad[50] = bad[50]! ^ 1;
    await leave(dir, Buffer.concat([begun, encodeLine({ turn: aTurn(0) }), bad, encodeLine({ turn: aTurn(2) })]));
    const lake = await Lake.open(dir);
    expect(await allOf(lake)).toEqual([cut(1)]);
    const { setAside } = await lake.check();
    expect(setAside).toEqual([expect.stringMatching(/\.a\.jsonl$/)]);
    await lake.close();
  });

  it('does not double an episode that reached Parquet before its write-ahead file went away', async () => {
    const dir = await aFolder();
    const lake = await Lake.open(dir);
    await record(lake, anEpisode('a', 1));
    await lake.close();
    const { end, verdict } = anEpisode('a', 1);
    await leave(dir, Buffer.concat([begun, encodeLine({ turn: aTurn(0) }), encodeLine({ end, verdict: verdict! })]));
    const next = await Lake.open(dir);
    expect(await allOf(next)).toEqual([anEpisode('a', 1)]);
    expect(await readdir(join(dir, 'episodes'))).toHaveLength(1);
    expect(await writeAheadFiles(dir)).toEqual([]);
  });

  it.each([
    ['trusts the heartbeat of a process on another machine', 'elsewhere', 0, []],
    ['gives up a process on another machine after two minutes of silence', 'elsewhere', 130, [cut(0)]],
    ['does not take a machine of the same name for this one', hostname(), 0, []],
    ['gives up what a machine of the same name, or this one before it was restarted, left', hostname(), 130, [cut(0)]],
  ])('%s', async (_, host, silentSeconds, expected) => {
    const dir = await aFolder();
    await leave(dir, begun);
    const path = join(dir, 'wal', '999999999-dead.owner');
    await writeFile(path, JSON.stringify({ host, boot: 'b', pidNamespace: 'n', pid: process.pid, started: '1' }));
    const time = Date.now() / 1000 - silentSeconds;
    await utimes(path, time, time);
    expect(await allOf(await Lake.open(dir))).toEqual(expected);
  });

  it('does not take a process that has the number of a dead one for it', async () => {
    const dir = await aFolder();
    const lake = await Lake.open(dir);
    const writer = await lake.begin(startOf(anEpisode('a', 0)));
    const names = await readdir(join(dir, 'wal'));
    const owner = join(
      dir,
      'wal',
      names.find((name) => name.endsWith('.owner'))!,
    );
    const identity = JSON.parse(await readFile(owner, 'utf8')) as object;
    await writeFile(`${owner}.new`, JSON.stringify({ ...identity, started: '1' }));
    await rename(`${owner}.new`, owner);
    const next = await Lake.open(dir);
    expect(await allOf(next)).toEqual([cut(0)]);
    // A living writer's complete episode replaces the cut one.
    await writer.append(aTurn(0));
    await writer.finish({ state: 'finished' }, anEpisode('', 0).verdict);
    await lake.close();
    expect(await allOf(next)).toEqual([anEpisode('a', 1)]);
  });
});
