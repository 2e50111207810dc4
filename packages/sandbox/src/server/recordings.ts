import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GyreError } from '@gyre/protocol';
import type { VideoFormat } from '../ffmpeg.js';
import type { Recording } from '../recording.js';
import type { AnySession } from '../sandbox.js';
import { Refusal } from './failures.js';
import type { RecordingInfo } from './wire.js';

/** Videos that are kept. The oldest that is done makes room for the next. */
const mostKept = 32;

/** Bytes of a video. */
const mostBytes = 2 ** 30;

interface Kept {
  readonly id: string;
  readonly session: string;
  readonly owner: string;
  readonly format: VideoFormat;
  readonly fps: number;
  readonly recording: Recording;
  state: RecordingInfo['state'];
  error?: GyreError;
}

/** Videos of the sessions of a server. They outlive their sessions, but not the server. */
export class Recordings {
  readonly #kept = new Map<string, Kept>();
  #folder: Promise<string> | undefined;
  #begun = 0;
  #closed = false;

  /** Begins one. Throws what `record` throws, and refuses where too many are under way. */
  async begin(session: AnySession, owner: string, { format, fps }: Pick<Kept, 'format' | 'fps'>): Promise<Kept> {
    if (this.#kept.size >= mostKept) {
      const done = [...this.#kept.values()].find(({ state }) => state !== 'recording');
      if (!done) throw new Refusal(429, `${mostKept} videos are being recorded`, 'stop one');
      await this.remove(done);
    }
    const id = `recording-${++this.#begun}`;
    const folder = await (this.#folder ??= mkdtemp(join(tmpdir(), 'gyre-recordings-')));
    const recording = await session.record({ path: join(folder, `${id}.${format}`), fps, mostBytes });
    const kept: Kept = { id, session: session.id, owner, format, fps, recording, state: 'recording' };
    this.#kept.set(id, kept);
    void recording.ended.then((reason) => {
      kept.state = reason ? 'failed' : 'done';
      if (reason) kept.error = reason;
    });
    return kept;
  }

  /** Those of a session. */
  of(session: string): Kept[] {
    return [...this.#kept.values()].filter((one) => one.session === session);
  }

  /** Ends it where it is under way, and forgets it. */
  async remove({ id, recording }: Kept): Promise<void> {
    this.#kept.delete(id);
    await recording.stop().catch(() => undefined);
    await rm(recording.path, { force: true });
  }

  /** Ends and removes all. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([...this.#kept.values()].map((one) => this.remove(one)));
    if (this.#folder) await rm(await this.#folder, { recursive: true, force: true });
  }
}

export type KeptRecording = Kept;

/** What is told of a video. */
export async function recordingInfo({ id, format, fps, state, error, recording }: Kept): Promise<RecordingInfo> {
  const bytes = await stat(recording.path).then(
    ({ size }) => size,
    () => 0,
  );
  return { id, format, fps, state, bytes, ...(error && { error: error.message }) };
}
