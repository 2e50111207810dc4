import { Lake } from '@gyre/lake';
import { GyreError } from '@gyre/protocol';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The lake of a directory, which must be there. What dead processes left is brought in.
 * @throws GyreError `bad_input` where there is none; `storage`.
 */
export async function openLake(directory: string): Promise<Lake> {
  const path = join(directory, 'lake');
  if (!existsSync(join(path, 'episodes'))) {
    throw new GyreError('bad_input', `there is no lake at ${path}`, {
      field: '--directory',
      fix: 'name the directory of a run, which holds the folder lake',
    });
  }
  return Lake.open(path);
}
