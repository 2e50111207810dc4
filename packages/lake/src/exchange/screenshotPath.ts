import type { ContentHash } from '@gyre/protocol';

/** Relative to the folder of the export. */
export function screenshotPath(hash: ContentHash): string {
  return `screenshots/${hash}.png`;
}
