import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { FolderLock, Lake } from '@gyre/lake';
import { GyreError } from '@gyre/protocol';
import writeFileAtomic from 'write-file-atomic';
import { metricsText, snakeCase } from './prometheus.js';
import { eventFileHead, scalarEvent } from './tensorboard.js';

/** Values that are neither numbers nor objects of numbers reach only the JSON. */
export interface UpdateRecord {
  readonly environmentSteps: number;
}

export type UpdateStore = Pick<Lake, 'putUpdate'>;

/**
 * Records updates as rows of the lake's `updates` (snake case), lines of `updates.jsonl`, TensorBoard events, and
 * `metrics.prom` for the latest. Reopening starts a new event file.
 */
export class UpdateLog {
  readonly #dir: string;
  readonly #events: string;
  readonly #lake: UpdateStore;
  readonly #lock: Pick<FolderLock, 'expect'> | undefined;
  readonly #now: () => Date;

  private constructor(
    dir: string,
    events: string,
    lake: UpdateStore,
    lock: Pick<FolderLock, 'expect'> | undefined,
    now: () => Date,
  ) {
    this.#dir = dir;
    this.#events = events;
    this.#lake = lake;
    this.#lock = lock;
    this.#now = now;
  }

  /** @throws GyreError `storage` */
  static async open(
    dir: string,
    lake: UpdateStore,
    now: () => Date = () => new Date(),
    lock?: Pick<FolderLock, 'expect'>,
  ): Promise<UpdateLog> {
    const folder = join(dir, 'tensorboard');
    const startMs = now().getTime();
    const events = join(folder, `events.out.tfevents.${startMs}.gyre`);
    await written(dir, async () => {
      await mkdir(folder, { recursive: true });
      await appendFile(events, eventFileHead(startMs / 1000));
      await endLine(join(dir, 'updates.jsonl'));
    });
    return new UpdateLog(dir, events, lake, lock, now);
  }

  /**
   * @throws GyreError `held` if another process took the folder over; `storage`, after which the record may be written
   * again
   */
  async write(record: UpdateRecord): Promise<void> {
    await this.#lock?.expect();
    const now = this.#now();
    const time = now.toISOString();
    const lines = join(this.#dir, 'updates.jsonl');
    const { environmentSteps: step, ...measured } = record;
    const event = scalarEvent({ wallTime: now.getTime() / 1000, step, scalars: scalarsOf(measured) });
    const metrics = join(this.#dir, 'metrics.prom');
    const text = await metricsText(basename(resolve(this.#dir)), now, scalarsOf(record));
    await written(this.#dir, async () => {
      await appendFile(lines, `${JSON.stringify({ at: time, ...record })}\n`).catch(async (error: unknown) => {
        await endLine(lines).catch(() => undefined);
        throw error;
      });
      await appendFile(this.#events, event);
      await writeFileAtomic(metrics, text, { fsync: false });
    });
    const columns = Object.fromEntries(Object.entries(record).map(([name, value]) => [snakeCase(name), value]));
    await this.#lake.putUpdate({ updated_at: time, ...columns });
  }
}

/** A killed process may have left an unfinished line. */
async function endLine(path: string): Promise<void> {
  const text = await readFile(path).catch(() => undefined);
  if (text && text.length > 0 && text.at(-1) !== 0x0a) await appendFile(path, '\n');
}

async function written(dir: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    throw new GyreError('storage', `cannot write the update log in ${dir}`, {
      field: dir,
      fix: 'free disk space, then resume the run',
      cause,
    });
  }
}

function scalarsOf(value: object, prefix = ''): Record<string, number> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]: [string, unknown]): [string, number][] => {
      const path = `${prefix}${name}`;
      if (typeof inner === 'number') return [[path, inner]];
      return typeof inner === 'object' && inner !== null ? Object.entries(scalarsOf(inner, `${path}/`)) : [];
    }),
  );
}
