import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import type { Random } from '@gyre/engine';
import { Lake } from '@gyre/lake';
import { GyreError } from '@gyre/protocol';
import { drillEpisode, drillScreenshot } from './drillEpisode.js';
import { type Acknowledged, countOf, missingFrom, emptyAcknowledged, type StorageDrill } from './lakes.js';

const run = promisify(execFile);

/** Requires root. */
export async function canMount(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-drill-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]);
    await run('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Fills lakes on file systems of 32 to 256 KiB, then adds room. Acknowledged work must survive, and the lake must
 * recover.
 */
export async function fillDisks(
  disks: number,
  random: Random,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (share: number, message: string) => void },
): Promise<StorageDrill> {
  let [filled, acknowledged] = [0, 0];
  const lost: string[] = [];
  for (; filled < disks && !signal.aborted; filled++) {
    const folder = await mkdtemp(join(tmpdir(), 'gyre-drill-'));
    await run('mount', ['-t', 'tmpfs', '-o', `size=${32 + random.int(225)}k`, 'tmpfs', folder]);
    try {
      const work = emptyAcknowledged();
      const lake = join(folder, 'lake');
      const { refused, unclosed } = await write(lake, work, Infinity);
      if (refused === undefined) lost.push('a full disk accepted every episode');
      else if (!isStorage(refused)) lost.push(`a full disk was reported as ${inspect(refused)}`);
      await run('mount', ['-o', 'remount,size=8m', folder]);
      // Retries what did not fit on close.
      await unclosed?.close();
      const { refused: again } = await write(lake, work, 3);
      if (again !== undefined) lost.push(`a disk with free space again refused to write: ${inspect(again)}`);
      acknowledged += countOf(work);
      lost.push(...(await missingFrom(lake, work)));
    } finally {
      await run('umount', ['-l', folder]);
      await rm(folder, { recursive: true, force: true });
    }
    onProgress((filled + 1) / disks, `${filled + 1} of ${disks} disks filled`);
  }
  return { faults: filled, acknowledged, lost };
}

const isStorage = (error: unknown): boolean => error instanceof GyreError && error.code === 'storage';

/** Resolves to the error that ended it, and the lake if it did not close. */
async function write(
  folder: string,
  work: Acknowledged,
  maxEpisodes: number,
): Promise<{ readonly refused?: unknown; readonly unclosed?: Lake | undefined }> {
  const { ended, turns, screenshots } = work;
  let lake: Lake | undefined;
  let refused: unknown;
  try {
    lake = await Lake.open(folder, { batch: 3 });
    for (let number = 0; number < maxEpisodes; number++) {
      const {
        turns: episodeTurns,
        end,
        verdict,
        ...start
      } = drillEpisode(`${maxEpisodes === Infinity ? 'full' : 'again'}/${number}`);
      screenshots.add(await lake.putScreenshot(drillScreenshot(start.id)));
      const writer = await lake.begin(start);
      for (const turn of episodeTurns) {
        await writer.append(turn);
        turns.set(start.id, (turns.get(start.id) ?? 0) + 1);
      }
      await writer.finish(end, verdict);
      ended.add(start.id);
    }
  } catch (error) {
    refused = error;
  }
  try {
    await lake?.close();
    return { refused };
  } catch (error) {
    return { refused: isStorage(error) ? (refused ?? error) : error, unclosed: lake };
  }
}
