import { createHash } from 'node:crypto';
import type { Frame, Size } from '@gyre/protocol';

export type { Frame };

/** The PNG of a screen leased without pictures. */
export const noPicture = new Uint8Array();

export function frameOf(png: Uint8Array, size: Size): Frame {
  return { png, hash: createHash('sha256').update(png).digest('hex'), size };
}
