import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Lake, type LakeEvent, watchFolder, type WatchOptions } from '../index.js';
import { aFolder } from './folder.test.fixture.js';
import { FolderLock } from './lock/folderLock.js';
import { aTurn, anEpisode, record, startOf } from './sample.test.fixture.js';

const eventText = ({ start: { id }, ...event }: LakeEvent): string => {
  if (event.type === 'turn') return `${id} turn ${event.turn.index}`;
  if (event.type === 'retract') return `${id} keeps ${event.turns}`;
  return event.type === 'end' ? `${id} end ${event.end?.state} ${event.turns}` : `${id} begin`;
};

async function following(dir: string, options?: WatchOptions) {
  const lake = await Lake.open(dir);
  const events: LakeEvent[] = [];
  const stop = await lake.follow((event) => events.push(event), options);
  onTestFinished(async () => {
    stop();
    await lake.close();
  });
  return events;
}

describe.each([{ notified: true }, { notified: false }])('a lake that is followed, %o', (options) => {
  it('tells what is appended from now on, once and whole', async () => {
    const dir = await aFolder();
    const writing = await Lake.open(dir);
    await record(writing, anEpisode('before', 2));
    const open = await writing.begin(startOf(anEpisode('open', 0)));
    await open.append(aTurn(0));
    const events = await following(dir, options);
    await open.append(aTurn(1));
    await open.see({ ...aTurn(1).observation, screenshot: 'c'.repeat(64) });
    await open.finish({ state: 'out_of_budget' }, { success: false, score: 0, source: 'verifier', evidence: {} });
    await record(writing, anEpisode('new', 1));
    const expected = [
      'open turn 1',
      'open turn 1',
      'open end out_of_budget 2',
      'new begin',
      'new turn 0',
      'new end finished 1',
    ];
    await vi.waitFor(() => expect(events.map(eventText).sort()).toEqual([...expected].sort()), { timeout: 5_000 });
    const turns = events.flatMap((event) => (event.type === 'turn' && event.start.id === 'open' ? [event.turn] : []));
    expect(turns.map(({ observation }) => observation.screenshot[0])).toEqual(['b', 'c']);
    await writing.close();
  });
});

describe('a lake that is followed', () => {
  it('says which turns are taken back, and tells those that come instead', async () => {
    const dir = await aFolder();
    const writing = await Lake.open(dir);
    const events = await following(dir);
    const open = await writing.begin(startOf(anEpisode('a', 0)));
    await open.append(aTurn(0));
    await open.append(aTurn(1));
    await open.retract(1);
    await open.append(aTurn(1));
    const expected = ['a begin', 'a turn 0', 'a turn 1', 'a keeps 1', 'a turn 1'];
    await vi.waitFor(() => expect(events.map(eventText)).toEqual(expected), { timeout: 5_000 });
    await open.finish({ state: 'finished' });
    await writing.close();
  });

  it('says that an episode has ended even where its file goes at once', async () => {
    const dir = await aFolder();
    const writing = await Lake.open(dir, { batch: 1 });
    const events = await following(dir);
    const open = await writing.begin(startOf(anEpisode('a', 0)));
    await vi.waitFor(() => expect(events.map(eventText)).toEqual(['a begin']));
    await open.finish({ state: 'finished' });
    await vi.waitFor(() => expect(events.map(eventText)[1]).toMatch(/^a end/));
    await writing.close();
  });

  it('ends the episode of a writer that was killed as cut', { timeout: 30_000 }, async () => {
    const dir = await aFolder();
    const events = await following(dir);
    const program = fileURLToPath(new URL('./sleepingWriter.test.fixture.js', import.meta.url));
    const child = spawn(process.execPath, [program, dir], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    await vi.waitFor(() => expect(events.map(eventText)).toEqual(['a begin', 'a turn 0', 'a turn 1']), {
      timeout: 5_000,
    });
    child.kill('SIGKILL');
    await vi.waitFor(() => expect(events.map(eventText)[3]).toBe('a end cut 2'), { timeout: 10_000, interval: 100 });
  });
});

describe('a folder that is watched', () => {
  it('may appear later, and never has two calls at a time', async () => {
    const folder = join(await aFolder(), 'later');
    const seen: string[] = [];
    let calls = 0;
    const stop = watchFolder(
      folder,
      async (names) => {
        expect(calls++).toBe(0);
        await new Promise((resolve) => setTimeout(resolve, 30));
        seen.push(...names);
        calls--;
      },
      { settleMs: 1 },
    );
    onTestFinished(stop);
    await mkdir(folder);
    await vi.waitFor(async () => {
      await writeFile(join(folder, String(Math.random())), '');
      expect(seen.length).toBeGreaterThan(5);
    });
    await rm(folder, { recursive: true });
  });
});

it('the state of a lock is read without taking it', async () => {
  const dir = await aFolder();
  expect(await FolderLock.look(dir)).toBeUndefined();
  const lock = await FolderLock.take(dir);
  expect(await FolderLock.look(dir)).toMatchObject({ state: 'held', command: expect.any(String) as string });
  await lock.expect();
  await lock.release();
  expect(await FolderLock.look(dir)).toMatchObject({ state: 'released' });
});
