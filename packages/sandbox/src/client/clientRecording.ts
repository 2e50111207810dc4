import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GyreError } from '@gyre/protocol';
import type { RecordOptions } from '../recording/recording.js';
import { recordings as routes } from '../wire/recordings.js';
import type { SessionLink } from './sessionLink.js';

export interface ClientRecording {
  readonly path: string;
  /** Downloads the video, also after the session's end, then throws its failure, if any. Idempotent. */
  stop(): Promise<void>;
}

export type ClientRecordOptions = Pick<RecordOptions, 'path' | 'fps'>;

export function clientRecording(path: string, recording: string, { id, call }: SessionLink): ClientRecording {
  const params = { id, recording };
  const end = async () => {
    const failure = await call(routes.stop, { params }).then(
      () => undefined,
      (error: unknown) => error,
    );
    const { body } = await call(routes.download, { params });
    await pipeline(body ? Readable.fromWeb(body) : [], createWriteStream(path)).catch((cause: unknown) => {
      throw new GyreError('storage', `cannot write ${path}`, {
        field: 'path',
        fix: 'use a writable path; the server still has the video',
        cause,
      });
    });
    await call(routes.remove, { params });
    if (failure) throw failure as Error;
  };
  let ended: Promise<void> | undefined;
  return { path, stop: () => (ended ??= end()) };
}
