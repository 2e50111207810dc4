import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { HttpError } from './httpError.js';

type Decompress = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const { zstdDecompress } = zlib as { zstdDecompress?: Parameters<typeof promisify>[0] };
/** Node has zstd from 22.15 on. */
const unpacked: Decompress | undefined = zstdDecompress && (promisify(zstdDecompress) as Decompress);

/** @throws HttpError 413 for more than `largest` bytes, packed or not, and 415 for another encoding than zstd. */
export async function readBody(request: IncomingMessage, largest: number): Promise<Buffer> {
  const tooLarge = () =>
    new HttpError(413, `the body is larger than ${largest} bytes: send fewer or smaller datums`, 'data');
  if (Number(request.headers['content-length'] ?? 0) > largest) throw tooLarge();
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > largest) throw tooLarge();
    pieces.push(piece);
  }
  const body = Buffer.concat(pieces);
  const { 'content-encoding': encoding = 'identity' } = request.headers;
  if (encoding === 'identity') return body;
  if (encoding !== 'zstd' || !unpacked) {
    const fix = unpacked ? 'use zstd or none' : 'send the body without one, or run the server on Node 22.15 or newer';
    throw new HttpError(415, `the content encoding ${encoding} is not supported: ${fix}`, 'content-encoding');
  }
  return unpacked(body, { maxOutputLength: largest }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new HttpError(400, 'the body is not valid zstd', 'content-encoding');
  });
}

export const mediaType = ({ headers }: IncomingMessage): string =>
  (headers['content-type'] ?? '').split(';', 1).join().trim().toLowerCase();

/** @throws HttpError 415 for another media type, and 400 for invalid JSON. */
export function jsonOf(request: IncomingMessage, body: Buffer): unknown {
  if (mediaType(request) !== 'application/json') {
    throw new HttpError(415, 'send application/json', 'content-type');
  }
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new HttpError(400, 'the body is not JSON', 'body');
  }
}
