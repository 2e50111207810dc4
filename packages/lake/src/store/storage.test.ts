import { execFileSync } from 'node:child_process';
import * as nodeFileSystem from 'node:fs/promises';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aFolder } from './folder.test.fixture.js';
import { type FileSystem, Lake } from '../index.js';
import { aTurn, allOf, anEpisode, record, startOf } from './sample.test.fixture.js';

const full = expect.objectContaining({
  code: 'storage',
  detail: expect.objectContaining({ fix: expect.stringContaining('free some space') }),
});

/** Simulates a disk with limited room; a write that does not fit is partial. */
function smallDisk(): { fs: FileSystem; room: number } {
  const disk = { fs: { ...nodeFileSystem, open } as FileSystem, room: Infinity };
  async function open(...args: Parameters<FileSystem['open']>): ReturnType<FileSystem['open']> {
    const handle = await nodeFileSystem.open(...args);
    const write = async (data: Buffer): Promise<void> => {
      const part = data.subarray(0, Math.max(0, Math.min(disk.room, data.length)));
      disk.room -= data.length;
      await handle.write(part);
      if (part.length < data.length) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    };
    const writers = { appendFile: write, writeFile: (data: Buffer | string) => write(Buffer.from(data)) };
    return new Proxy(handle, {
      get: (target, name) => {
        const override = name in writers ? writers[name as keyof typeof writers] : Reflect.get(target, name, target);
        return typeof override === 'function' ? (override as () => unknown).bind(target) : override;
      },
    });
  }
  return disk;
}

describe('a full disk', () => {
  it('is said, and leaves nothing half-written, at whatever byte it fills up', async () => {
    for (let room = 0; room < 6000; room += 251) {
      const dir = await aFolder();
      const disk = smallDisk();
      const lake = await Lake.open(dir, { fs: disk.fs, batch: 2 });
      await record(lake, anEpisode('before', 1));
      disk.room = room;
      const done = await record(lake, anEpisode('during', 2)).then(
        () => true,
        (error: unknown) => {
          expect(error).toEqual(full);
          return false;
        },
      );
      await lake.putScreenshot(Buffer.from('screenshot')).catch((error: unknown) => expect(error).toEqual(full));
      disk.room = Infinity;
      await lake.close();
      const next = await Lake.open(dir);
      const stored = await allOf(next);
      expect(stored.find(({ id }) => id === 'before')).toEqual(anEpisode('before', 1));
      const during = stored.find(({ id }) => id === 'during');
      if (done) expect(during).toEqual(anEpisode('during', 2));
      if (during) expect(during.turns).toEqual(anEpisode('during', 2).turns.slice(0, during.turns.length));
      const { damaged } = await next.check();
      expect(damaged.filter(({ reason }) => !reason.includes('is missing'))).toEqual([]);
      expect(await readdir(join(dir, 'wal'))).toEqual([]);
      expect(await readdir(join(dir, 'aside'))).toEqual([]);
    }
  });

  it('does not end the episode: a turn that was refused may be appended when there is room', async () => {
    const disk = smallDisk();
    const lake = await Lake.open(await aFolder(), { fs: disk.fs });
    const writer = await lake.begin(startOf(anEpisode('a', 0)));
    await writer.append(aTurn(0));
    disk.room = 100;
    await expect(writer.append(aTurn(1))).rejects.toThrow(full);
    disk.room = Infinity;
    await writer.append(aTurn(1));
    await writer.finish({ state: 'finished' }, anEpisode('', 0).verdict);
    disk.room = 100;
    await expect(lake.flush()).rejects.toThrow(full);
    disk.room = Infinity;
    expect(await allOf(lake)).toEqual([anEpisode('a', 2)]);
    await lake.close();
  });

  it('of the kernel is the same', async ({ skip }) => {
    const dir = await aFolder();
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dir], { stdio: 'ignore' });
    } catch {
      skip('mounting takes root');
    }
    onTestFinished(() => void execFileSync('umount', [dir]));
    const lake = await Lake.open(join(dir, 'lake'), { batch: 4 });
    let whole = 0;
    await expect(
      (async () => {
        for (; ; whole++) await record(lake, anEpisode(`${whole}`, 5));
      })(),
    ).rejects.toThrow(full);
    await lake.putScreenshot(Buffer.alloc(65536)).catch((error: unknown) => expect(error).toEqual(full));
    await lake.close().catch((error: unknown) => expect(error).toEqual(full));

    execFileSync('mount', ['-o', 'remount,size=1m', dir], { stdio: 'ignore' });
    await lake.close();
    const next = await Lake.open(join(dir, 'lake'));
    const ids = (await allOf(next, { state: 'finished' })).map(({ id }) => id);
    expect(ids.slice(0, whole)).toEqual(Array.from({ length: whole }, (_, i) => `${i}`));
    await next.close();
  });
});
