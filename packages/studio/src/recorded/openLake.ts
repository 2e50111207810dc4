import { Lake, type LakeOptions } from '@gyre/lake';
import { GyreError } from '@gyre/protocol';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** @throws GyreError `bad_input` if there is none; `storage`. */
export async function openLake(directory: string, options: LakeOptions = {}): Promise<Lake> {
  const path = join(directory, 'lake');
  if (!existsSync(join(path, 'episodes'))) {
    throw new GyreError('bad_input', `no lake at ${path}`, {
      field: '--directory',
      fix: 'name the directory of a run, which contains a folder lake',
    });
  }
  return Lake.open(path, options);
}

export function noEpisode(directory: string): GyreError {
  return new GyreError('bad_input', `no episode in the lake of ${directory} matches`, {
    field: '--directory',
    fix: '`gyre lake sql "SELECT split, purpose, family, policy, count(*) FROM episodes GROUP BY ALL"` shows the possible values',
  });
}

export async function hasEpisode(lake: Lake, filter: Parameters<Lake['episodes']>[0]): Promise<boolean> {
  for await (const _ of lake.episodes(filter)) return true;
  return false;
}
