import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import type { EpisodeFiles } from './episodeFiles.js';
import { type FileSystem, codeOf, removeFile, storageError } from './fileSystem.js';
import { type Layout, type Names, ownerOf } from './layout.js';
import { type Owner, ownerLives } from './owner.js';
import type { Screenshots } from './screenshots.js';
import type { Updates } from './updates.js';

/** What the upkeep of a lake works with. */
export interface Premises {
  readonly fs: FileSystem;
  readonly layout: Layout;
  readonly owner: Owner;
  readonly names: Names;
  readonly files: EpisodeFiles;
  readonly screenshots: Screenshots;
  readonly updates: Updates;
}

/**
 * Does work that takes files away, which only one process may at a time: what one has read, another must not remove. Each says
 * that it works and then looks for others, so that of two that come at once one or both give way. A dead one is in nobody's way.
 * @throws GyreError `held` where another works already.
 */
export async function alone<T>({ fs, layout, owner }: Premises, work: () => Promise<T>): Promise<T> {
  const held = () =>
    new GyreError('held', 'another process prunes or mends this lake', {
      field: layout.root,
      fix: 'wait until it is done, and try again',
    });
  await owner.claim();
  const path = join(layout.aside, `${owner.name}${ending}`);
  try {
    await (await fs.open(path, 'wx')).close();
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? held() : storageError(error, path);
  }
  try {
    for (const name of await fs.readdir(layout.aside)) {
      const other = ownerOf(name);
      if (!name.endsWith(ending) || other === owner.name) continue;
      if (await ownerLives(fs, layout.wal, other)) throw held();
    }
    return await work();
  } finally {
    await removeFile(fs, path);
  }
}

const ending = '.maintenance';
