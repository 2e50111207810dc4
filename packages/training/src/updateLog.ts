import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Lake } from '@gyre/lake';
import { metricsText, snakeCase } from './prometheus.js';
import { eventFileHead, scalarEvent } from './tensorboard.js';

/** What is known of one update. Numbers, and objects of numbers; anything else is in the JSON alone. */
export interface UpdateRecord {
  /** Along which charts are drawn. */
  readonly environmentSteps: number;
}

/** The lake that the episodes of these updates are in. */
export type RecordKeeper = Pick<Lake, 'putUpdate'>;

/**
 * Keeps the record of every update: a row of `updates` in the lake, whose columns are the record's fields in snake case, after `updated_at`;
 * and in a folder a line of `updates.jsonl`, an event of a TensorBoard file under `tensorboard`, whose scalars are named after the
 * record's fields: `success/click`, and, of the last one alone, `metrics.prom`. A log that is opened again goes on in the same `updates.jsonl`,
 * where `at` says when each line was written, and in a new event file, as TensorBoard wants it.
 */
export class UpdateLog {
  private constructor(
    private readonly dir: string,
    private readonly events: string,
    private readonly lake: RecordKeeper,
    private readonly now: () => Date,
  ) {}

  static async open(dir: string, lake: RecordKeeper, now: () => Date = () => new Date()): Promise<UpdateLog> {
    const folder = join(dir, 'tensorboard');
    await mkdir(folder, { recursive: true });
    const at = now().getTime();
    const events = join(folder, `events.out.tfevents.${at}.gyre`);
    await appendFile(events, eventFileHead(at / 1000));
    return new UpdateLog(dir, events, lake, now);
  }

  async write(record: UpdateRecord): Promise<void> {
    const at = this.now();
    const time = at.toISOString();
    await appendFile(join(this.dir, 'updates.jsonl'), `${JSON.stringify({ at: time, ...record })}\n`);
    const { environmentSteps: step, ...measured } = record;
    const event = scalarEvent({ wallTime: at.getTime() / 1000, step, scalars: scalarsOf(measured) });
    await appendFile(this.events, event);
    const metrics = join(this.dir, 'metrics.prom');
    // Whoever collects it meanwhile reads a whole one.
    await writeFile(`${metrics}.new`, await metricsText(basename(resolve(this.dir)), at, scalarsOf(record)));
    await rename(`${metrics}.new`, metrics);
    const columns = Object.fromEntries(Object.entries(record).map(([name, value]) => [snakeCase(name), value]));
    await this.lake.putUpdate({ updated_at: time, ...columns });
  }
}

/** The numbers of a record by their paths. */
function scalarsOf(value: object, prefix = ''): Record<string, number> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]: [string, unknown]): [string, number][] => {
      const path = `${prefix}${name}`;
      if (typeof inner === 'number') return [[path, inner]];
      return typeof inner === 'object' && inner !== null ? Object.entries(scalarsOf(inner, `${path}/`)) : [];
    }),
  );
}
