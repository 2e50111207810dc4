import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Opens an unnamed file: only descriptor holders reach it, and it vanishes with the last. */
export async function openUnnamedFile(prefix: string, content?: Uint8Array): Promise<FileHandle> {
  const path = join(tmpdir(), `${prefix}-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await rm(path);
    if (content) await file.write(content, 0, content.length, 0);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
