import type { FileHandle } from 'node:fs/promises';

const chunk = 2 ** 16;

export async function readRange(file: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

export async function readLines(
  file: FileHandle,
  size: number,
  from: number,
  to: number,
  cap: number,
): Promise<{ bytes: Uint8Array; total: number } | 'too big'> {
  const parts: Uint8Array[] = [];
  let collected = 0;
  let line = 1;
  let last = 0x0a;
  for (let done = 0; done < size;) {
    const bytes = await readRange(file, done, Math.min(chunk, size - done));
    if (bytes.length === 0) break;
    done += bytes.length;
    last = bytes.at(-1)!;
    for (let start = 0; start < bytes.length;) {
      const newline = bytes.indexOf(0x0a, start);
      const end = newline < 0 ? bytes.length : newline + 1;
      if (line >= from && line <= to) {
        collected += end - start;
        if (collected > cap) return 'too big';
        parts.push(bytes.subarray(start, end));
      }
      if (newline >= 0) line += 1;
      start = end;
    }
  }
  return { bytes: Buffer.concat(parts), total: last === 0x0a ? line - 1 : line };
}
