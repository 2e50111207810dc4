import { join } from 'node:path';
import type { ContentHash, Episode } from '@gyre/protocol';
import { type Audit, audit } from './upkeep/audit.js';
import { type Damage, messageOf } from './episodeFiles.js';
import { type FileSystem, isMissing } from './fileSystem.js';
import type { LakeContext } from './upkeep/maintenance.js';

export interface Census {
  /** Includes cut episodes. */
  readonly episodes: number;
  readonly cut: number;
  /** `setAside` is the new path. */
  readonly damaged: (Damage & {
    readonly setAside?: string;
    readonly accepted?: true;
  })[];
  /** Files in `damaged/`, which gyre neither reads nor deletes. */
  readonly setAside: string[];
  /** Files older than the manifest, whose deletion would go unnoticed. */
  readonly older?: number;
}

export interface LakeVerification {
  readonly episodes: number;
  readonly cut: number;
  readonly damaged: Damage[];
  /** Each with an episode that shows it. */
  readonly missing: Map<ContentHash, string>;
  readonly audit: Audit;
}

/** Reads everything, verifying checksums and content hashes. */
export async function verifyLake(context: LakeContext): Promise<LakeVerification> {
  const { files, screenshots, audio, updates, reviews, speech } = context;
  const damaged: Damage[] = [];
  const cutById = new Map<string, boolean>();
  const shownBy = new Map<ContentHash, string>();
  const count = (episode: Episode): void => {
    const { id, end } = episode;
    cutById.set(id, (cutById.get(id) ?? true) && end.state === 'cut');
    for (const hash of screenshotsOf(episode)) shownBy.set(hash, id);
  };
  for (const { episode } of await files.waitingElsewhere()) count(episode);
  // Screenshots precede their episodes in storage, so they are looked up later.
  for (const name of await files.files()) {
    const stored = await files.episodesOf(name).catch((error: unknown) => {
      if (isMissing(error)) return [];
      return [{ damage: messageOf(error) }];
    });
    for (const each of stored) {
      if ('damage' in each) damaged.push({ file: join('episodes', name), reason: each.damage });
      else count(each.episode);
    }
  }
  for await (const { file, hash } of screenshots.files()) {
    shownBy.delete(hash);
    const reason = await screenshots.get(hash).then(() => undefined, messageOf);
    if (reason !== undefined) damaged.push({ file: join('blobs', file), reason });
  }
  for await (const { file, hash } of audio.files()) {
    const reason = await audio.get(hash).then(() => undefined, messageOf);
    if (reason !== undefined) damaged.push({ file: join('audio', file), reason });
  }
  for (const records of [updates, reviews, speech]) damaged.push(...(await records.verify()).damaged);
  for (const [hash, id] of shownBy) {
    if ((await files.find({ ids: [id] })).length === 0) shownBy.delete(hash);
  }
  const cut = [...cutById.values()].filter(Boolean).length;
  const result = await audit(context);
  damaged.push(...result.altered);
  return { episodes: cutById.size, cut, damaged, missing: shownBy, audit: result };
}

export async function takeCensus(context: LakeContext): Promise<Census> {
  const { episodes, cut, damaged, missing, audit: differences } = await verifyLake(context);
  const absent = [...missing].map(([hash, id]) => ({ file: fileOf(hash), reason: missingReason(id) }));
  const setAside = await listed(context.fs, context.layout.damaged);
  const damages = [...damaged, ...absent, ...manifestDamage(differences)];
  return { episodes, cut, damaged: damages, setAside, ...(differences.older > 0 && { older: differences.older }) };
}

/** Returns damage visible only in the manifest. */
export function manifestDamage({ faults, lost, unlisted }: Audit): Damage[] {
  return [...faults, ...lost, ...unlisted].map(({ file, reason }) => ({ file, reason }));
}

export function missingReason(id: string): string {
  return `it is missing; episode ${id} refers to it`;
}

export function fileOf(hash: ContentHash): string {
  return join('blobs', hash.slice(0, 2), `${hash}.png`);
}

export function screenshotsOf({ observation, turns }: Episode): ContentHash[] {
  return [observation.screenshot, ...turns.map((turn) => turn.observation.screenshot)];
}

export async function listed(fs: FileSystem, folder: string): Promise<string[]> {
  try {
    return (await fs.readdir(folder)).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
