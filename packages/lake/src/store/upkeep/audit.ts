import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { originOf } from '../episodeFile.js';
import type { Damage } from '../episodeFiles.js';
import { isMissing, storageError } from '../fileSystem.js';
import { matchesName } from '../layout.js';
import type { LakeContext } from './maintenance.js';
import type { Listed, ManifestState } from '../manifest.js';
import { ownerLives } from '../lock/owner.js';

type Place = Pick<LakeContext, 'fs' | 'layout' | 'manifest'>;

export interface Audit {
  readonly older: number;
  readonly faults: readonly Damage[];
  /** Missing files, each with one of equal bytes, if any. */
  readonly lost: readonly (Damage & { readonly renamed?: string })[];
  /** Bytes match the name but not the manifest. */
  readonly altered: readonly Damage[];
  readonly unlisted: readonly Damage[];
}

export async function adopt(place: Place, selects: (file: string) => boolean): Promise<void> {
  const files = (await present(place)).filter(selects);
  if (files.length === 0) return;
  await place.manifest.revise(async ({ listed }) => {
    const added = await described(
      place,
      files.filter((file) => !listed.has(file)),
    );
    return added.length > 0 ? { added, removed: [] } : undefined;
  });
}

export async function audit(context: LakeContext): Promise<Audit> {
  const { manifest } = context;
  const before = await manifest.state();
  const files = await present(context);
  // Writers list a file after writing, and pruning unlists it before removal: only lasting differences count.
  const state = await manifest.state();
  const there = new Set(files);
  const strange = await hashed(
    context,
    files.filter((file) => !state.listed.has(file)),
  );
  const byHash = new Map(strange.map(({ sha256, file }) => [sha256, file]));
  const lost: Audit['lost'][number][] = [];
  const altered: Damage[] = [];
  for (const listed of state.listed.values()) {
    if (!before.listed.has(listed.file)) continue;
    if (!there.has(listed.file)) {
      const renamed = byHash.get(listed.sha256);
      const count = listed.episodes === undefined ? '' : ` with ${listed.episodes} episodes`;
      const reason = renamed === undefined ? 'no file has its content' : `${renamed} has its content`;
      lost.push({
        file: listed.file,
        reason: `it is missing; the manifest lists it${count}, and ${reason}`,
        ...(renamed !== undefined && { renamed }),
      });
    } else {
      const now = await describe(context, listed.file);
      if (now && now.sha256 !== listed.sha256)
        altered.push({ file: listed.file, reason: 'its content does not match the manifest' });
    }
  }
  const renamed = new Set(lost.map((each) => each.renamed));
  const unlisted: Damage[] = [];
  let older = 0;
  for (const { file, isSound } of strange) {
    if (!isSound) continue;
    if (renamed.has(file) || state.removed.has(file) || (await isBeingWritten(context, file))) continue;
    if (await isOlder(context, file, state)) older++;
    else unlisted.push({ file, reason: 'the manifest does not list it' });
  }
  const { listed: now } = unlisted.length > 0 ? await manifest.state() : state;
  const never = unlisted.filter(({ file }) => !now.has(file));
  const none = state.entries === 0 && state.since === undefined;
  const faults = [...state.damaged];
  if (none && never.length > 0)
    faults.push({ file: 'manifest', reason: 'it is missing; it listed files of this lake' });
  return { older, faults, lost, altered, unlisted: none ? [] : never };
}

/** Corrects the manifest, so that losses are reported once. */
export async function acceptLosses(context: LakeContext): Promise<void> {
  await context.manifest.revise(async (state) => {
    const files = await present(context);
    const there = new Set(files);
    const whole = state.damaged.length > 0 || state.entries === 0;
    const added = await described(context, whole ? files : files.filter((file) => !state.listed.has(file)));
    const removed = [...state.listed.keys()].flatMap((file) =>
      there.has(file) ? [] : [{ file, why: 'lost' as const }],
    );
    if (added.length === 0 && removed.length === 0 && !(whole && state.entries > 0)) return undefined;
    return { added, removed, ...(whole && { whole }) };
  });
}

/** Returns episodes, updates, reviews, speech and pools. */
async function present({ fs, layout }: Place): Promise<string[]> {
  const names = async (folder: string, ending: string): Promise<string[]> => {
    try {
      return (await fs.readdir(join(layout.root, folder)))
        .filter((name) => name.endsWith(ending))
        .map((name) => `${folder}/${name}`);
    } catch (error) {
      if (isMissing(error)) return [];
      throw storageError(error, folder);
    }
  };
  const pools = await names('pools', '');
  const folders: [string, string][] = [
    ['episodes', '.parquet'],
    ['updates', '.json'],
    ['reviews', '.json'],
    ['speech', '.json'],
    ...pools.map((pool): [string, string] => [pool, '.jsonl']),
  ];
  return (await Promise.all(folders.map(([folder, ending]) => names(folder, ending)))).flat().sort();
}

async function described(place: Place, files: readonly string[]): Promise<Listed[]> {
  const entries: Listed[] = [];
  for (const file of files) {
    const entry = await describe(place, file);
    if (entry) entries.push(entry);
  }
  return entries;
}

async function hashed(
  place: Place,
  files: readonly string[],
): Promise<{ file: string; sha256: string; isSound: boolean }[]> {
  const entries: { file: string; sha256: string; isSound: boolean }[] = [];
  for (const file of files) {
    const bytes = await bytesOf(place, file);
    if (bytes) entries.push({ file, sha256: hashOf(bytes), isSound: matchesName(bytes, file) });
  }
  return entries;
}

async function describe(place: Place, file: string): Promise<Listed | undefined> {
  const bytes = await bytesOf(place, file);
  if (!bytes || !matchesName(bytes, file)) return undefined;
  const listed = { file, bytes: bytes.length, sha256: hashOf(bytes) };
  if (!file.endsWith('.parquet')) return listed;
  try {
    return { ...listed, episodes: originOf(bytes).episodes };
  } catch {
    return undefined;
  }
}

async function bytesOf({ fs, layout }: Place, file: string): Promise<Uint8Array | undefined> {
  try {
    return await fs.readFile(join(layout.root, file));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw storageError(error, file);
  }
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function isBeingWritten({ fs, layout }: Place, file: string): Promise<boolean> {
  const [, owner] = /-(\d+-[0-9a-f]{12})-/.exec(file) ?? [];
  return owner !== undefined && (await ownerLives(fs, layout.wal, owner));
}

async function isOlder({ fs, layout }: Place, file: string, { since }: ManifestState): Promise<boolean> {
  const path = join(layout.root, file);
  try {
    if (file.endsWith('.parquet')) return !originOf(await fs.readFile(path)).listed;
    return since === undefined || (await fs.stat(path)).mtime.getTime() < Date.parse(since);
  } catch (error) {
    if (isMissing(error)) return true;
    throw storageError(error, path);
  }
}
