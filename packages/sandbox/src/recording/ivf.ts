import type { Size } from '@gyre/protocol';

const headerBytes = 32;
const frameHeaderBytes = 12;

/** Units per second. */
const timeBase = 1_000;

/** Returns the header of an IVF stream of PNGs, the simplest container with timestamps that ffmpeg reads. */
export function ivfHeader({ width, height }: Size): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.write('DKIF', 0);
  header.writeUInt16LE(headerBytes, 6);
  header.write('MPNG', 8);
  header.writeUInt16LE(width, 12);
  header.writeUInt16LE(height, 14);
  header.writeUInt32LE(timeBase, 16);
  header.writeUInt32LE(1, 20);
  return header;
}

export function ivfFrame(png: Uint8Array, ms: number): Buffer {
  const header = Buffer.alloc(frameHeaderBytes);
  header.writeUInt32LE(png.length, 0);
  header.writeBigUInt64LE(BigInt(Math.round(ms)), 4);
  return Buffer.concat([header, png]);
}
