import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventFileHead, scalarEvent } from './tensorboard.js';

/** What is known of one update. Numbers, and objects of numbers; anything else is in the JSON alone. */
export interface UpdateRecord {
  /** Along which charts are drawn. */
  readonly environmentSteps: number;
}

/**
 * Keeps the record of every update in a folder: a line of `updates.jsonl`, and an event of a TensorBoard file under `tensorboard`, whose
 * scalars are named after the record's fields: `success/click`. A log that is opened again goes on in the same `updates.jsonl`, where `at`
 * says when each line was written, and in a new event file, as TensorBoard wants it.
 */
export class UpdateLog {
  private constructor(
    private readonly lines: string,
    private readonly events: string,
    private readonly now: () => Date,
  ) {}

  static async open(dir: string, now: () => Date = () => new Date()): Promise<UpdateLog> {
    const folder = join(dir, 'tensorboard');
    await mkdir(folder, { recursive: true });
    const at = now().getTime();
    const events = join(folder, `events.out.tfevents.${at}.gyre`);
    await appendFile(events, eventFileHead(at / 1000));
    return new UpdateLog(join(dir, 'updates.jsonl'), events, now);
  }

  async write(record: UpdateRecord): Promise<void> {
    const at = this.now();
    await appendFile(this.lines, `${JSON.stringify({ at: at.toISOString(), ...record })}\n`);
    const { environmentSteps: step, ...measured } = record;
    const event = scalarEvent({ wallTime: at.getTime() / 1000, step, scalars: scalarsOf(measured) });
    await appendFile(this.events, event);
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
