/** Lines count from 1. */
export interface TextFile {
  readonly binary: false;
  readonly text: string;
  /** Lines in `text`, and of the file; `to` is `from - 1` if there are none. */
  readonly lines: { readonly from: number; readonly to: number; readonly total: number };
  /** The whole file's size. */
  readonly bytes: number;
}

/** Not UTF-8 text: use `readBytes`. */
export interface BinaryFile {
  readonly binary: true;
  readonly bytes: number;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns undefined if not UTF-8, or with a NUL. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Keeps line breaks; a non-empty rest is a line. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
