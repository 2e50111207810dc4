import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export async function aFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'gyre-lake-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}
