import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Recording, RecordOptions } from '../../recording/recording.js';
import { jsonFields, numberField } from '../served/request.js';
import type { SessionPaths } from './files/paths.js';
import { done, missing, optionalText, refuse, Unsuccessful, type Fields, type Routes } from './route.js';

type StartRecording = (options: RecordOptions) => Promise<Recording>;

const maxBytes = 2 ** 26;

interface Running {
  readonly recording: Recording;
  readonly folder: string;
  readonly savePath: string;
  readonly begin: number;
  readonly timer: NodeJS.Timeout;
}

interface Result {
  readonly status: 'idle' | 'recording' | 'stopped';
  readonly save_path: string | null;
  readonly duration: number | null;
  readonly file_size_bytes: number | null;
}

/** One video at a time, into a session file. */
class Video {
  readonly #record: StartRecording | undefined;
  readonly #paths: SessionPaths;
  #running: Running | undefined;
  #last: Result = { status: 'idle', save_path: null, duration: null, file_size_bytes: null };

  constructor(record: StartRecording | undefined, paths: SessionPaths) {
    this.#record = record;
    this.#paths = paths;
  }

  get status(): Result {
    if (this.#running === undefined) return this.#last;
    const { savePath, begin } = this.#running;
    return {
      status: 'recording',
      save_path: savePath,
      duration: (performance.now() - begin) / 1_000,
      file_size_bytes: null,
    };
  }

  async start(savePath: string, fps: number, maxSeconds: number): Promise<Result> {
    if (this.#running) throw new Unsuccessful('a recording is in progress: stop it first');
    const format =
      /\.(mp4|webm)$/.exec(savePath)?.[1] ?? refuse('save_path', 'use a file name that ends with .mp4 or .webm');
    const record = this.#record ?? missing('recording');
    const folder = await mkdtemp(join(tmpdir(), 'gyre-video-'));
    try {
      const recording = await record({ path: join(folder, `video.${format}`), fps, maxBytes });
      const timer = setTimeout(() => void this.stop().catch(() => undefined), maxSeconds * 1_000).unref();
      this.#running = { recording, folder, savePath, begin: performance.now(), timer };
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    return this.status;
  }

  async stop(): Promise<Result> {
    const running = this.#running;
    if (running === undefined) throw new Unsuccessful('no recording is in progress');
    this.#running = undefined;
    clearTimeout(running.timer);
    const duration = (performance.now() - running.begin) / 1_000;
    try {
      await running.recording.stop();
      const bytes = await readFile(running.recording.path);
      await this.#paths.write(running.savePath, bytes);
      this.#last = { status: 'stopped', save_path: running.savePath, duration, file_size_bytes: bytes.length };
      return this.#last;
    } finally {
      await rm(running.folder, { recursive: true, force: true });
    }
  }
}

export function recordRoutes(
  record: StartRecording | undefined,
  paths: SessionPaths,
  onClose: (work: () => Promise<void>) => void,
): Routes {
  const video = new Video(record, paths);
  onClose(async () => {
    if (video.status.status === 'recording') await video.stop();
  });
  const pathOf = (fields: Fields, format: string) =>
    optionalText(fields, 'save_path') ?? `${paths.home}/recordings/recording_${Date.now()}.${format}`;

  return {
    'POST /v1/display/record': async (request) => {
      const fields = await jsonFields(request);
      switch (fields.action) {
        case 'start': {
          const [fps, maxSeconds] = [numberField(fields, 'fps') ?? 5, numberField(fields, 'max_duration') ?? 600];
          return done(await video.start(pathOf(fields, 'mp4'), fps, maxSeconds));
        }
        case 'stop':
          return done(await video.stop());
        case 'status':
          return done(video.status);
        default:
          return refuse('action', 'use start, stop or status');
      }
    },
    'POST /v1/browser/page/record': async (request) => {
      const fields = await jsonFields(request);
      const [fps, seconds] = [numberField(fields, 'fps') ?? 15, numberField(fields, 'duration') ?? 10];
      switch (fields.action ?? 'once') {
        case 'once':
          await video.start(pathOf(fields, 'webm'), fps, seconds + 10);
          await pause(seconds * 1_000);
          return done(await video.stop());
        case 'start':
          return done(await video.start(pathOf(fields, 'webm'), fps, 600));
        case 'stop':
          return done(await video.stop());
        case 'status':
          return done(video.status);
        case 'pause':
        case 'resume':
          return missing('recording that pauses', 'stop it, and start another');
        default:
          return refuse('action', 'use once, start, stop or status');
      }
    },
  };
}
