import { createHash } from 'node:crypto';
import type { Size } from '@gyre/protocol';
import type { Frame } from '@gyre/sandbox';

export function frameOf(png: Uint8Array, size: Size): Frame {
  return { png, hash: createHash('sha256').update(png).digest('hex'), size };
}
