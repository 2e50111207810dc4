import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aFolder } from './folder.test.fixture.js';
import { Lake } from '../index.js';
import { aTurn, allOf, anEpisode, record, startOf } from './sample.test.fixture.js';

const ids = async (lake: Lake) => (await allOf(lake)).map(({ id }) => id).join('');

describe('an episode that another process has finished', () => {
  it('is found, drawn, counted and asked for by SQL at once, whole, and once when it comes to Parquet', async () => {
    const dir = await aFolder();
    const [writing, reading] = [await Lake.open(dir), await Lake.open(dir)];
    const open = await writing.begin(startOf(anEpisode('open', 0)));
    await open.append(aTurn(0));
    const counted = 'SELECT count(*), count(DISTINCT episode_id), sum(turn_count) FROM episodes';
    const turns = 'SELECT count(*) FROM turns';
    expect((await reading.sql(counted)).rows).toEqual([[0, 0, null]]);
    for (const [number, id] of ['a', 'b', 'c'].entries()) {
      const episode = await record(writing, anEpisode(id, 3));
      expect(await readdir(join(dir, 'episodes'))).toEqual([]);
      expect(await allOf(reading, { ids: [id] })).toEqual([episode]);
      expect((await reading.sql(counted)).rows).toEqual([[number + 1, number + 1, 3 * (number + 1)]]);
      expect((await reading.sql(turns)).rows).toEqual([[3 * (number + 1)]]);
      expect(await reading.sample({ success: true }, 9, Math.random)).toHaveLength(number + 1);
    }
    expect((await allOf(reading, { family: 'none' })).length).toBe(0);
    expect(await reading.check()).toMatchObject({ episodes: 3 });
    const before = (await reading.sql('FROM episodes ORDER BY ALL')).rows;
    await writing.flush();
    expect((await reading.sql('FROM episodes ORDER BY ALL')).rows).toEqual(before);
    expect(await ids(reading)).toBe('abc');
    await open.finish({ state: 'finished' });
    await writing.close();
    expect((await reading.sql(counted)).rows).toEqual([[4, 4, 10]]);
    await reading.close();
  });

  it('is never seen in part, nor missed, while many come and go', async () => {
    const dir = await aFolder();
    const [writing, reading] = [await Lake.open(dir, { batch: 3 }), await Lake.open(dir)];
    let acknowledged = 0;
    const written = (async () => {
      for (; acknowledged < 60; acknowledged++) await record(writing, anEpisode(String(acknowledged), 2));
    })();
    while (acknowledged < 60) {
      const before = acknowledged;
      const { rows } = await reading.sql('SELECT count(*), count(DISTINCT episode_id), min(turn_count) FROM episodes');
      const [count, distinct, minWaiting] = rows[0] as number[];
      expect(count).toBe(distinct);
      expect(count).toBeGreaterThanOrEqual(before);
      if (count! > 0) expect(minWaiting).toBe(2);
      const stored = await allOf(reading);
      expect(stored.length).toBeGreaterThanOrEqual(count!);
      for (const episode of stored) expect(episode).toEqual(anEpisode(episode.id, 2));
    }
    await written;
    await writing.close();
    expect(await allOf(reading)).toHaveLength(60);
    await reading.close();
  });

  it('is reported as damaged if its file was altered', async () => {
    const dir = await aFolder();
    const damaged: string[] = [];
    const [writing, reading] = [
      await Lake.open(dir),
      await Lake.open(dir, { onDamage: ({ file }) => damaged.push(file) }),
    ];
    await record(writing, anEpisode('a', 2));
    const name = (await readdir(join(dir, 'wal'))).find((each) => each.endsWith('.jsonl'))!;
    const bytes = await readFile(join(dir, 'wal', name));
    bytes[80]! ^= 1;
    await writeFile(join(dir, 'wal', name), bytes);
    expect(await ids(reading)).toBe('');
    expect(damaged).toEqual([join('wal', name)]);
    await writing.close();
    expect(await ids(reading)).toBe('a');
    await reading.close();
  });
});

describe('an episode that is being played', () => {
  it('is seen turn by turn by its process and by others, until it has ended or its process is dead', async () => {
    const dir = await aFolder();
    const [writing, reading] = [await Lake.open(dir), await Lake.open(dir)];
    const open = await writing.begin(startOf(anEpisode('open', 0)));
    await record(writing, anEpisode('ended', 2));
    for (const turns of [0, 1, 2]) {
      const expected = {
        ...startOf(anEpisode('open', 0)),
        turns: [0, 1].slice(0, turns).map(aTurn),
        end: { state: 'cut' },
      };
      expect(await writing.running()).toEqual([expected]);
      expect(await reading.running()).toEqual([expected]);
      if (turns < 2) await open.append(aTurn(turns));
    }
    for (const name of await readdir(join(dir, 'wal'))) {
      if (name.endsWith('.owner')) await rename(join(dir, 'wal', name), join(dir, 'wal', `${name}.away`));
    }
    expect(await reading.running()).toEqual([]);
    expect((await reading.abandoned()).map(({ id, turns }) => [id, turns.length])).toEqual([['open', 2]]);
    for (const name of await readdir(join(dir, 'wal'))) {
      if (name.endsWith('.away')) await rename(join(dir, 'wal', name), join(dir, 'wal', name.slice(0, -5)));
    }
    expect(await reading.abandoned()).toEqual([]);
    await open.finish({ state: 'finished' });
    expect(await writing.running()).toEqual([]);
    expect(await reading.running()).toEqual([]);
    await writing.close();
    await reading.close();
  });
});

describe('a writer whose file was taken over while it slept', () => {
  async function silence(dir: string): Promise<void> {
    for (const name of (await readdir(join(dir, 'wal'))).filter((each) => each.endsWith('.owner'))) {
      const path = join(dir, 'wal', name);
      const identity = JSON.parse(await readFile(path, 'utf8')) as object;
      await writeFile(`${path}.new`, JSON.stringify({ ...identity, boot: 'another' }));
      await rename(`${path}.new`, path);
      const long = Date.now() / 1000 - 130;
      await utimes(path, long, long);
    }
  }

  it('goes on in another file: what it acknowledges then survives its death too', async () => {
    const dir = await aFolder();
    const program = fileURLToPath(new URL('./sleepingWriter.test.fixture.js', import.meta.url));
    const child = spawn(process.execPath, [program, dir], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const line = async () => ((await once(child.stdout, 'data')) as [Buffer])[0].toString().trim();
    expect(await line()).toBe('2');
    await silence(dir);
    const second = await Lake.open(dir);
    expect((await allOf(second)).map(({ turns }) => turns.length)).toEqual([2]);
    child.stdin.write('on');
    expect(await line()).toBe('4');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const next = await Lake.open(dir);
    expect(await allOf(next)).toEqual([anEpisode('a', 4, { end: { state: 'cut' }, verdict: undefined })]);
    await Promise.all([second.close(), next.close()]);
  });

  it('finishes an episode that counts before the cut one', async () => {
    const dir = await aFolder();
    const writing = await Lake.open(dir);
    const writer = await writing.begin(startOf(anEpisode('a', 0)));
    await writer.append(aTurn(0));
    await silence(dir);
    const second = await Lake.open(dir);
    const { end, verdict } = anEpisode('a', 0);
    await writer.finish(end, verdict);
    expect(await allOf(second)).toEqual([anEpisode('a', 1)]);
    expect((await second.sql('SELECT state FROM episodes')).rows).toEqual([['finished']]);
    await writing.close();
    expect(await allOf(second)).toEqual([anEpisode('a', 1)]);
    await second.close();
  });
});
