import { join } from 'node:path';
import type { EpisodeFiles } from '../episodeFiles.js';
import type { FileSystem } from '../fileSystem.js';
import { FolderLock } from '../lock/folderLock.js';
import type { Layout, Names } from '../layout.js';
import type { Manifest } from '../manifest.js';
import type { Owner } from '../lock/owner.js';
import type { Blobs } from '../blobs.js';
import type { Records } from '../records.js';

export interface LakeContext {
  readonly fs: FileSystem;
  readonly layout: Layout;
  readonly owner: Owner;
  readonly names: Names;
  readonly files: EpisodeFiles;
  readonly screenshots: Blobs;
  readonly audio: Blobs;
  readonly updates: Records;
  readonly reviews: Records;
  readonly speech: Records;
  readonly manifest: Manifest;
}

/**
 * Admits one process at a time.
 * @throws GyreError `held` if another process is active
 */
export async function withMaintenanceLock<T>({ layout, owner }: LakeContext, work: () => Promise<T>): Promise<T> {
  await owner.claim();
  const lock = await FolderLock.take(join(layout.root, 'maintenance'));
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
