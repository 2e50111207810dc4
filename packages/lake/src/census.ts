import { join } from 'node:path';
import type { ContentHash, Episode } from '@gyre/protocol';
import { type Damage, type EpisodeFiles, messageOf } from './episodeFiles.js';
import { type FileSystem, isMissing } from './fileSystem.js';
import type { Screenshots } from './screenshots.js';

/** What is in a lake. */
export interface Census {
  /** Episodes that have ended, cut ones included. */
  readonly episodes: number;
  readonly cut: number;
  readonly damaged: Damage[];
}

/** Reads every byte: checksums and content hashes decide what is damaged. */
export async function takeCensus(
  fs: FileSystem,
  damagedFolder: string,
  files: EpisodeFiles,
  screenshots: Screenshots,
): Promise<Census> {
  const damaged: Damage[] = [];
  const cutById = new Map<string, boolean>();
  const shownBy = new Map<ContentHash, string>();
  for (const name of await files.files()) {
    const found = await files.episodesOf(name).catch((error: unknown) => [{ damage: messageOf(error) }]);
    for (const each of found) {
      if ('damage' in each) damaged.push({ file: join('episodes', name), reason: each.damage });
      else {
        const { id, end } = each.episode;
        cutById.set(id, (cutById.get(id) ?? true) && end.state === 'cut');
        for (const hash of shown(each.episode)) shownBy.set(hash, id);
      }
    }
  }
  for await (const { file, hash } of screenshots.files()) {
    shownBy.delete(hash);
    const reason = await screenshots.get(hash).then(() => undefined, messageOf);
    if (reason !== undefined) damaged.push({ file: join('blobs', file), reason });
  }
  for (const [hash, id] of shownBy) {
    damaged.push({
      file: join('blobs', hash.slice(0, 2), `${hash}.png`),
      reason: `it is missing; episode ${id} shows it`,
    });
  }
  for (const name of await listed(fs, damagedFolder)) {
    damaged.push({ file: join('damaged', name), reason: 'a write-ahead file that did not match its checksums' });
  }
  const cut = [...cutById.values()].filter(Boolean).length;
  return { episodes: cutById.size, cut, damaged };
}

function shown({ observation, turns }: Episode): ContentHash[] {
  return [observation.screenshot, ...turns.map((turn) => turn.observation.screenshot)];
}

async function listed(fs: FileSystem, folder: string): Promise<string[]> {
  try {
    return (await fs.readdir(folder)).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
