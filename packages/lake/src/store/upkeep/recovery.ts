import { join } from 'node:path';
import type { Episode } from '@gyre/protocol';
import { type FileSystem, isMissing, makeFolder, removeFile } from '../fileSystem.js';
import { type Layout, type Names, ownerOf } from '../layout.js';
import { adopt } from './audit.js';
import type { EpisodeFiles } from '../episodeFiles.js';
import type { Manifest } from '../manifest.js';
import { type Owner, ownerLives, ownerPath } from '../lock/owner.js';
import { readWriteAhead } from '../writeAhead.js';

/**
 * Moves dead processes' episodes to Parquet and returns the number of files. Concurrent recoveries take a file over by renaming
 * it.
 */
export async function recover(
  fs: FileSystem,
  layout: Layout,
  { owner, names, files, manifest }: { owner: Owner; names: Names; files: EpisodeFiles; manifest: Manifest },
): Promise<number> {
  // Listing before checking owners ensures that a dead owner's listed files belong to nobody.
  const leftovers = [...(await fs.readdir(layout.wal)), ...(await fs.readdir(layout.aside))];
  const dead = new Set<string>();
  for (const name of new Set(leftovers.map(ownerOf))) {
    if (!(await ownerLives(fs, layout.wal, name))) dead.add(name);
  }
  if (dead.size === 0) return 0;

  let taken = 0;
  const writeAhead = leftovers.filter((name) => dead.has(ownerOf(name)) && name.endsWith('.jsonl'));
  if (writeAhead.length > 0) {
    await owner.claim();
    const stored = await files.stored();
    for (const name of writeAhead) {
      const path = join(layout.wal, names.taken(name));
      if (!(await take(fs, join(layout.wal, name), path))) continue;
      await recoverOne(fs, layout, path, stored, files);
      taken++;
    }
    await files.flush();
  }
  // A dead owner may have left unlisted files.
  await adopt({ fs, layout, manifest }, (file) => [...dead].some((name) => file.includes(`-${name}-`)));
  for (const name of leftovers) {
    if (dead.has(ownerOf(name)) && !name.includes('.jsonl')) await removeFile(fs, join(layout.aside, name));
  }
  for (const name of dead) await removeFile(fs, ownerPath(layout.wal, name));
  return taken;
}

async function take(fs: FileSystem, from: string, to: string): Promise<boolean> {
  try {
    await fs.rename(from, to);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function recoverOne(
  fs: FileSystem,
  layout: Layout,
  path: string,
  stored: Map<string, Episode['end']['state']>,
  files: EpisodeFiles,
): Promise<void> {
  const bytes = await fs.readFile(path);
  const { episode, damage } = readWriteAhead(bytes);
  const putAway = async (): Promise<void> => {
    if (damage === undefined) return removeFile(fs, path);
    await makeFolder(fs, layout.damaged);
    await fs.rename(path, join(layout.damaged, path.slice(layout.wal.length + 1)));
  };
  const known = episode && stored.get(episode.id);
  if (!episode || (known !== undefined && known !== 'cut' && known !== 'infra_error')) return putAway();
  const { state } = episode.end;
  if (known === 'infra_error' && (state === 'cut' || state === 'infra_error')) return putAway();
  if (known === 'cut' && state === 'cut' && !(await tellsMore(episode, files))) return putAway();
  stored.set(episode.id, state);
  await files.add({ episode, bytes: bytes.length, stored: putAway });
}

/** Returns whether a cut episode has more turns than its Parquet version. */
async function tellsMore({ id, turns }: Episode, files: EpisodeFiles): Promise<boolean> {
  for await (const known of files.read({ ids: [id] })) if (known.turns.length >= turns.length) return false;
  return true;
}
