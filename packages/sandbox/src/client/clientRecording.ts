import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GyreError } from '@gyre/protocol';
import type { RecordOptions } from '../recording/recording.js';

/** A video that a server elsewhere makes of a session. */
export interface ClientRecording {
  readonly path: string;
  /** Ends the video and fetches it, also where the session has ended. Throws what it failed by; what there is of it is fetched. Twice is once. */
  stop(): Promise<void>;
}

export type ClientRecordOptions = Pick<RecordOptions, 'path' | 'fps'>;

/** A recording that has begun at an address of the server. */
export function clientRecording(
  path: string,
  address: string,
  send: (method: string, address: string) => Promise<Response>,
): ClientRecording {
  const end = async () => {
    const failure = await send('POST', `${address}/stop`).then(
      () => undefined,
      (error: unknown) => error,
    );
    const { body } = await send('GET', address);
    await pipeline(Readable.fromWeb(body!), createWriteStream(path)).catch((cause: unknown) => {
      throw new GyreError('storage', `${path} cannot be written`, {
        field: 'path',
        fix: 'name a file that can be written; the server still has the video',
        cause,
      });
    });
    await send('DELETE', address);
    if (failure) throw failure as Error;
  };
  let ended: Promise<void> | undefined;
  return { path, stop: () => (ended ??= end()) };
}
