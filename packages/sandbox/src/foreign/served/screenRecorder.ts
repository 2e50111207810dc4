import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import type { Recording, RecordOptions } from '../../recording/recording.js';
import type { CompatRecorder } from './machine.js';

/** Fewer if capturing is slow. */
const fps = 10;

/** Videos are sent whole. */
const maxBytes = 2 ** 28;

export class ScreenRecorder implements CompatRecorder {
  readonly #record: (options: RecordOptions) => Promise<Recording>;
  #running: Promise<{ readonly folder: string; readonly recording: Recording }> | undefined;

  constructor(record: (options: RecordOptions) => Promise<Recording>) {
    this.#record = record;
  }

  async start(): Promise<void> {
    if (this.#running) {
      throw new GyreError('bad_input', 'a recording is already in progress', {
        field: 'recording',
        fix: 'end it with /end_recording',
      });
    }
    const starting = (this.#running = this.#start());
    await starting.catch((error: unknown) => {
      this.#running = undefined;
      throw error;
    });
  }

  async stop(): Promise<Uint8Array> {
    const running = this.#running;
    if (!running) {
      throw new GyreError('bad_input', 'no recording is in progress', {
        field: 'recording',
        fix: 'start one with /start_recording',
      });
    }
    this.#running = undefined;
    const { folder, recording } = await running;
    try {
      await recording.stop();
      return await readFile(recording.path);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Discards a running recording. */
  async close(): Promise<void> {
    if (this.#running) await this.stop().catch(() => undefined);
  }

  async #start() {
    const folder = await mkdtemp(join(tmpdir(), 'gyre-recording-'));
    try {
      return { folder, recording: await this.#record({ path: join(folder, 'screen.mp4'), fps, maxBytes }) };
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }
}
