import { statfsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GyreError } from '@gyre/protocol';
import { checkedNumber } from '../checkedNumber.js';
import type { VideoFormat } from '../recording/ffmpeg.js';
import type { Recording } from '../recording/recording.js';
import type { AnySession } from '../lease/sandbox.js';
import { HttpRefusal } from './failures.js';
import type { RecordingInfo } from '../wire/recordings.js';

/** The owner's oldest finished video makes room for the next. */
const maxRecordings = 32;

/** Per video; starting one requires as much free space. */
const maxVideoBytes = 2 ** 30;
const minVideoBytes = 2 ** 24;

/** At most half of the free disk. */
const defaultBytes = 2 ** 33;
const freeShare = 1 / 2;

interface Kept {
  readonly id: string;
  readonly session: string;
  readonly owner: string;
  readonly format: VideoFormat;
  readonly fps: number;
  readonly recording: Recording;
  /** The limit, then the final size. */
  bytes: number;
  state: RecordingInfo['state'];
  error?: GyreError;
}

/** Videos outlive their sessions, but not the server. */
export class Recordings {
  readonly #kept = new Map<string, Kept>();
  #folder: Promise<string> | undefined;
  readonly #maxBytes: number;
  #promised = 0;
  #begun = 0;
  #closed = false;

  constructor(maxBytes?: number) {
    const { bavail, bsize } = statfsSync(tmpdir());
    const defaultTotal = Math.min(defaultBytes, Math.floor(bavail * bsize * freeShare));
    this.#maxBytes = checkedNumber('recordingBytes', maxBytes ?? defaultTotal, {
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
    });
  }

  /** Refuses with 429 beyond the limits. */
  async begin(session: AnySession, owner: string, { format, fps }: Pick<Kept, 'format' | 'fps'>): Promise<Kept> {
    while (this.#kept.size >= maxRecordings || this.#left < minVideoBytes) {
      // Other owners' videos are never removed.
      const done = [...this.#kept.values()].find((one) => one.state !== 'recording' && one.owner === owner);
      if (!done) {
        const spent = `${this.#kept.size} of ${maxRecordings} videos are stored, with ${this.#maxBytes - this.#left} of ${this.#maxBytes} bytes`;
        throw new HttpRefusal(429, spent, 'stop or remove one, or wait');
      }
      await this.remove(done);
    }
    const bytes = Math.min(maxVideoBytes, Math.max(minVideoBytes, Math.floor(this.#left / 4)));
    const id = `recording-${++this.#begun}`;
    this.#promised += bytes;
    try {
      const folder = await (this.#folder ??= mkdtemp(join(tmpdir(), 'gyre-recordings-')));
      const recording = await session.record({ path: join(folder, `${id}.${format}`), fps, maxBytes: bytes });
      const stored: Kept = { id, session: session.id, owner, format, fps, recording, bytes, state: 'recording' };
      this.#kept.set(id, stored);
      void recording.ended.then(async (reason) => {
        stored.state = reason ? 'failed' : 'done';
        if (reason) stored.error = reason;
        stored.bytes = await bytesOf(recording.path);
      });
      return stored;
    } finally {
      this.#promised -= bytes;
    }
  }

  get #left(): number {
    return [...this.#kept.values()].reduce((left, { bytes }) => left - bytes, this.#maxBytes - this.#promised);
  }

  ofSession(session: string): Kept[] {
    return [...this.#kept.values()].filter((one) => one.session === session);
  }

  async remove({ id, recording }: Kept): Promise<void> {
    this.#kept.delete(id);
    await recording.stop().catch(() => undefined);
    await rm(recording.path, { force: true });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([...this.#kept.values()].map((one) => this.remove(one)));
    if (this.#folder) await rm(await this.#folder, { recursive: true, force: true });
  }
}

export type StoredRecording = Kept;

export async function recordingInfo({ id, format, fps, state, error, recording }: Kept): Promise<RecordingInfo> {
  return {
    id,
    format,
    fps,
    state,
    bytes: await bytesOf(recording.path),
    error: error?.message,
  };
}

function bytesOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
