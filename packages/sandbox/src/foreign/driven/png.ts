import { GyreError, Size } from '@gyre/protocol';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const ending = Buffer.from('IEND');

const maxPixels = 2 ** 26;

/** Reads the header (ISO/IEC 15948, 11.2.2). Throws `infra` for an incomplete or oversized PNG. */
export function sizeOfPng(bytes: Uint8Array, request: string): Size {
  const png = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headed = png.length > 45 && png.subarray(0, 8).equals(signature) && png.toString('latin1', 12, 16) === 'IHDR';
  // Empty last chunk: length, name, checksum.
  const ended = headed && png.subarray(-8, -4).equals(ending);
  const size = Size.safeParse(ended ? { width: png.readUInt32BE(16), height: png.readUInt32BE(20) } : undefined);
  if (size.success && size.data.width * size.data.height <= maxPixels) return size.data;
  throw new GyreError('infra', `${request}: ${png.length} bytes that are not a complete PNG screenshot`, {
    part: 'remote',
    field: 'protocol',
    fix: 'check the log of the server on the machine',
  });
}
