import { createHash } from 'node:crypto';
import type { ContentHash, Size } from '@gyre/protocol';

/** A picture of the screen. */
export interface Frame {
  readonly png: Uint8Array;
  /** SHA-256 of `png`. */
  readonly hash: ContentHash;
  /** In px; one CSS pixel is one pixel. */
  readonly size: Size;
}

/** The PNG of a screen that is leased without pictures. */
export const noPicture = new Uint8Array();

/** Names a picture by its content. */
export function frameOf(png: Uint8Array, size: Size): Frame {
  return { png, hash: createHash('sha256').update(png).digest('hex'), size };
}
