import { crc32 } from 'node:zlib';

/** Returns the CRC-32 in hex. */
export function checksum(data: string | Uint8Array): string {
  return crc32(data).toString(16).padStart(8, '0');
}
