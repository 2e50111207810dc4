import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file without a name: only who is given its descriptor reaches it, and nothing is left of it when all have closed it. */
export async function nameless(prefix: string, content?: Uint8Array): Promise<FileHandle> {
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
