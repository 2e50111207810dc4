import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants as modes } from 'node:fs';
import { access } from 'node:fs/promises';
import { constants, getPriority, setPriority } from 'node:os';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import { checkedNumber } from '../checkedNumber.js';
import { findFfmpeg, formatOf, recordingArguments } from './ffmpeg.js';
import type { Frame } from './frame.js';
import { ivfFrame, ivfHeader } from './ivf.js';

export interface RecordOptions {
  /** .mp4 or .webm in an existing folder. Replaces an existing file. */
  readonly path: string;
  /** 1..60. Default 10. */
  readonly fps?: number;
  /** Maximum file size. Default 1 GiB. */
  readonly maxBytes?: number;
}

export interface Recording {
  readonly path: string;
  /** Resolves when the file is written, with the error if any. */
  readonly ended: Promise<GyreError | undefined>;
  /** Ends the video; idempotent. Throws `storage` for a full disk, `infra` if ffmpeg died. */
  stop(): Promise<void>;
}

/** Repeats an unchanged picture. */
const beatMs = 1_000;

const endingMs = 30_000;

const maxStderr = 2_000;

/** Records frames with ffmpeg in wall-clock time. Throws `missing` without ffmpeg, `bad_input` for bad options. */
export async function record(
  { path, fps = 10, maxBytes = 2 ** 30 }: RecordOptions,
  watch: (options: { perSecond: number; signal: AbortSignal }) => AsyncGenerator<Frame, void>,
): Promise<Recording> {
  formatOf(path);
  checkedNumber('fps', fps, { min: 1, max: 60 });
  checkedNumber('maxBytes', maxBytes, { min: 1, max: 2 ** 40 });
  const ffmpeg = findFfmpeg();
  await access(dirname(path), modes.W_OK).catch((cause: unknown) => {
    throw new GyreError('bad_input', `cannot write to ${dirname(path)}`, {
      field: 'path',
      fix: 'use a writable folder',
      cause,
    });
  });
  const child = spawn(ffmpeg, recordingArguments(path, fps, Math.floor(maxBytes)), {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { LC_ALL: 'C' },
  });
  // The recorded session has priority.
  const priority = Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL);
  if (child.pid !== undefined) setPriority(child.pid, priority);
  const stopped = new AbortController();
  return new FfmpegRecording(path, child, watch({ perSecond: fps, signal: stopped.signal }), stopped);
}

class FfmpegRecording implements Recording {
  readonly ended: Promise<GyreError | undefined>;
  readonly #child: ChildProcess;
  readonly #stopped: AbortController;
  readonly #begun: Promise<void>;
  #begin: () => void = () => undefined;
  #stderr = '';

  constructor(
    readonly path: string,
    child: ChildProcess,
    frames: AsyncGenerator<Frame, void>,
    stopped: AbortController,
  ) {
    this.#child = child;
    this.#stopped = stopped;
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-maxStderr);
    });
    const gone = new Promise<void>((resolve) => {
      child.once('close', () => resolve()).once('error', () => resolve());
    });
    void gone.then(() => stopped.abort());
    this.#begun = new Promise((resolve) => (this.#begin = resolve));
    this.ended = this.#run(frames, gone);
  }

  async stop(): Promise<void> {
    // A video needs a frame.
    await Promise.race([this.#begun, this.ended]);
    this.#stopped.abort();
    const reason = await this.ended;
    if (reason) throw reason;
  }

  async #run(frames: AsyncGenerator<Frame, void>, gone: Promise<void>): Promise<GyreError | undefined> {
    const stdin = this.#child.stdin!;
    stdin.on('error', () => undefined);
    // A failing screen ends its session, which reports why.
    await this.#write(frames, stdin).catch(() => undefined);
    stdin.end();
    const late = setTimeout(() => this.#child.kill('SIGKILL'), endingMs);
    await gone;
    clearTimeout(late);
    if (this.#child.exitCode === 0) return undefined;
    const lastLine = this.#stderr.trim().split('\n').at(-1) ?? '';
    // ffmpeg's exit code does not tell failures apart.
    if (/No space left on device|File too large/.test(this.#stderr)) {
      return new GyreError('storage', `the disk of ${this.path} is full`, {
        field: 'path',
        fix: 'free disk space, or record to another disk; the video so far can be played',
      });
    }
    const how = this.#child.signalCode ?? (lastLine || `exit code ${this.#child.exitCode}`);
    return new GyreError('infra', `the recording ended: ffmpeg: ${how}`, {
      part: 'machine',
      field: 'path',
      fix: 'record again; the video so far can be played',
    });
  }

  async #write(frames: AsyncGenerator<Frame, void>, stdin: Writable): Promise<void> {
    const begun = performance.now();
    const put = (frame: Frame) => this.#put(stdin, ivfFrame(frame.png, performance.now() - begun));
    let last: Frame | undefined;
    for (let next = frames.next(); ;) {
      const beat = new AbortController();
      const got = await Promise.race([
        next,
        pause(beatMs, undefined, { signal: beat.signal, ref: false }).catch(() => undefined),
      ]);
      beat.abort();
      if (got?.done) break;
      if (got) {
        if (!last) await this.#put(stdin, ivfHeader(got.value.size));
        last = got.value;
        this.#begin();
        next = frames.next();
      }
      if (last) await put(last);
    }
    if (last) await put(last);
  }

  /** A slow ffmpeg skips to the newest frame. */
  async #put(stdin: Writable, bytes: Buffer): Promise<void> {
    if (stdin.destroyed || stdin.write(bytes)) return;
    await Promise.race([once(stdin, 'drain'), once(stdin, 'close')]).catch(() => undefined);
  }
}
