import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ByteStream, corruptArchive, truncated } from './byteStream.js';

export interface ArchivedFile {
  /** Without folders. Comes from the archive: compare it, but never use it as a path. */
  readonly name: string;
  readonly size: number;
  /** To be read before the next file, or not at all. */
  readonly content: AsyncIterable<Buffer>;
}

const block = 512;
const checksumField = { begin: 148, end: 156 };
/** Unpacked. */
const largestArchive = 32 * 2 ** 30;

/**
 * Yields the regular files of a tar archive, gzipped or not. Links, devices and extended headers are skipped. Bounds
 * the unpacked size by 32 GiB, and memory by a chunk.
 *
 * @throws GyreError `corrupt` for another format and for a truncated archive
 */
export async function* archivedFiles(archive: AsyncIterable<Uint8Array>): AsyncGenerator<ArchivedFile> {
  const stream = new ByteStream(unzipped(archive), largestArchive);
  try {
    for (;;) {
      const header = await stream.take(block);
      if (header.length === 0 || header.every((byte) => byte === 0)) return;
      if (header.length < block) throw truncated();
      const { name, size, isFile } = parsed(header);
      let unread = size;
      const content = async function* (): AsyncGenerator<Buffer> {
        for await (const piece of stream.pieces(unread)) {
          unread -= piece.length;
          yield piece;
        }
        if (unread > 0) throw truncated();
      };
      if (isFile) yield { name, size, content: content() };
      await stream.skip(unread + ((block - (size % block)) % block));
    }
  } finally {
    await stream.close();
  }
}

function parsed(header: Buffer): { name: string; size: number; isFile: boolean } {
  const text = (begin: number, end: number) => header.toString('latin1', begin, end).split('\0')[0]!;
  const octal = (begin: number, end: number) => {
    const digits = text(begin, end).trim();
    return /^[0-7]{1,12}$/.test(digits) ? Number.parseInt(digits, 8) : NaN;
  };
  const { begin, end } = checksumField;
  const sum = header.reduce((total, byte, i) => total + (i >= begin && i < end ? 0x20 : byte), 0);
  if (sum !== octal(begin, end)) throw corruptArchive('is no tar archive');
  const size = octal(124, 136);
  if (!Number.isSafeInteger(size)) throw corruptArchive('has a file of 8 GiB or more');
  const type = header[156]!;
  return { name: text(0, 100).split('/').at(-1)!, size, isFile: type === 0 || type === 0x30 };
}

async function* unzipped(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const packed = new ByteStream(archive);
  try {
    const magic = await packed.take(2);
    const whole = async function* (): AsyncGenerator<Uint8Array> {
      yield magic;
      yield* packed.pieces();
    };
    if (magic[0] !== 0x1f || magic[1] !== 0x8b) yield* whole();
    // The callback swallows errors: iteration throws them, too.
    else yield* pipeline(Readable.from(whole()), createGunzip(), () => undefined) as AsyncIterable<Uint8Array>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_') === true) throw corruptArchive('is damaged', error);
    throw error;
  } finally {
    await packed.close();
  }
}
