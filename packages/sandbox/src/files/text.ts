/** A part of a text file. Lines count from 1. */
export interface TextFile {
  readonly binary: false;
  readonly text: string;
  /** The lines in `text`, and how many the file has; `to` is `from - 1` where there are none. */
  readonly lines: { readonly from: number; readonly to: number; readonly total: number };
  /** Of the whole file. */
  readonly bytes: number;
}

/** A file that is no UTF-8 text: read it as bytes. */
export interface BinaryFile {
  readonly binary: true;
  readonly bytes: number;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes as text; undefined where they are none: not UTF-8, or with a NUL in it. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Lines of a text, each with its line break. What follows the last line break is a line, unless it is empty. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
