import type { Reading, Size } from '@gyre/protocol';

/** RGB bytes `[height, width, 3]`. */
export interface Screen {
  readonly pixels: Uint8Array;
  readonly size: Size;
}

/** Reads the text of screenshots. */
export interface Reader {
  /** Name and version, as stored with its readings. */
  readonly name: string;
  /**
   * Reads one screenshot.
   *
   * @param previous an earlier screenshot with its reading: only what has changed is read, and lines there may be cut
   *   differently
   */
  read(screen: Screen, previous?: { readonly screen: Screen; readonly reading: Reading }): Promise<Reading>;
  close(): Promise<void>;
}
