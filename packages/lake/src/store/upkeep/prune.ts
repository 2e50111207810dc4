import { join } from 'node:path';
import { ContentHash, GyreError, SpeechEntry } from '@gyre/protocol';
import { type Row, screenshotsIn } from '../episodeFile.js';
import { messageOf } from '../episodeFiles.js';
import { check } from '../episodeWriter.js';
import { isMissing, storageError } from '../fileSystem.js';
import { type LakeContext, withMaintenanceLock } from './maintenance.js';
import { isForgotten } from '../blobs.js';

/** Any one criterion suffices. */
export interface PruneOptions {
  /** Removes older episodes. */
  readonly keepDays?: number;
  /** Retains the youngest unprotected episodes. */
  readonly keepEpisodes?: number;
  /** Removes the oldest until the lake fits, excluding `damaged/`. */
  readonly maxBytes?: number;
  /** Purpose prefixes to retain. Default {@link protectedPurposes}. */
  readonly protect?: readonly string[];
  /** Includes episodes in pools. Default false. */
  readonly pooled?: boolean;
  readonly dryRun?: boolean;
}

/** Reported figures, demonstrations, imports and annotations cannot be recorded again. */
export const protectedPurposes: readonly string[] = ['eval', 'demonstration', 'imported', 'annotation'];

export interface PruneReport {
  readonly episodes: { readonly before: number; readonly protected: number; readonly dropped: number };
  readonly screenshots: { readonly before: number; readonly dropped: number };
  readonly recordings: { readonly dropped: number };
  /** `after` is an estimate. Without recordings. */
  readonly bytes: { readonly before: number; readonly after: number };
}

/**
 * Removes the oldest episodes with their people's speech, then unused screenshots. Safe alongside readers and writers: a file is removed once its
 * remaining episodes are in another. An interrupted run leaves an intact lake.
 * @param pooled returns the ids of pooled episodes
 * @throws GyreError `bad_input` for invalid options; `corrupt` for a damaged file; `held` while another process prunes
 * or repairs; `storage`
 */
export function prune(
  context: LakeContext,
  options: PruneOptions,
  pooled: () => Promise<ReadonlySet<string>>,
): Promise<PruneReport> {
  for (const field of ['keepDays', 'keepEpisodes', 'maxBytes'] as const) {
    if (!((options[field] ?? 0) >= 0)) {
      throw new GyreError('bad_input', `the value ${String(options[field])} of ${field} is invalid`, {
        field,
        fix: 'use a number of 0 or more',
      });
    }
  }
  return withMaintenanceLock(context, async () => {
    const stock = await takeStock(context);
    const before = { episodes: stock.episodes.size, screenshots: stock.blobs.size, bytes: stock.bytes };
    const isProtected = new Set(options.protect ?? protectedPurposes);
    const named = options.pooled === true ? new Set<string>() : await pooled();
    const candidates = [...stock.episodes.values()].filter(
      ({ row }) => !isProtected.has(row.purpose.split(' ')[0]!) && !named.has(row.id),
    );
    for (const blob of stock.blobs.values()) if (mayGo(blob)) stock.bytes -= blob.size;
    const dropped = [...choose(candidates, stock, options)];
    const idle = [...stock.blobs].flatMap(([hash, blob]) => (mayGo(blob) ? [hash] : []));

    const recordings = await dropSpeech(context, new Set(dropped.map(({ row }) => row.id)), options.dryRun);
    let gone = idle.length;
    if (options.dryRun !== true) {
      await dropEpisodes(context, dropped);
      gone = 0;
      for (const hash of idle) if (await context.screenshots.drop(hash)) gone++;
    }
    return {
      episodes: {
        before: before.episodes,
        protected: before.episodes - candidates.length,
        dropped: dropped.length,
      },
      screenshots: { before: before.screenshots, dropped: gone },
      recordings: { dropped: recordings },
      bytes: { before: before.bytes, after: Math.round(stock.bytes) },
    };
  });
}

interface Blob {
  readonly size: number;
  readonly lastUse: Date;
  uses: number;
}

interface StockedFile {
  readonly name: string;
  /** Overhead in bytes. */
  readonly frame: number;
  rows: number;
}

interface StockedEpisode {
  readonly row: Row;
  /** Its share of its Parquet files. */
  bytes: number;
  readonly blobs: Blob[];
  readonly files: StockedFile[];
}

interface Stock {
  readonly episodes: Map<string, StockedEpisode>;
  readonly blobs: Map<ContentHash, Blob>;
  bytes: number;
}

async function takeStock({ fs, layout, files, screenshots }: LakeContext): Promise<Stock> {
  const stock: Stock = { episodes: new Map(), blobs: new Map(), bytes: 0 };
  for await (const { hash } of screenshots.files()) {
    const file = ContentHash.safeParse(hash).success ? await screenshots.look(hash) : undefined;
    if (!file) continue;
    stock.blobs.set(hash, { ...file, uses: 0 });
    stock.bytes += file.size;
  }
  const use = (hashes: Iterable<ContentHash>): Blob[] =>
    [...hashes].flatMap((hash) => {
      const blob = stock.blobs.get(hash);
      if (blob) blob.uses++;
      return blob ?? [];
    });
  // Episodes move from write-ahead files to Parquet: this order misses none.
  for (const name of await fs.readdir(layout.wal)) {
    if (!name.endsWith('.jsonl')) continue;
    const text = await fs.readFile(join(layout.wal, name), 'latin1').catch((error: unknown) => {
      if (isMissing(error)) return '';
      throw storageError(error, name);
    });
    stock.bytes += text.length;
    use(screenshotsIn(text));
  }
  const names = await files.files();
  const rows = new Map((await files.rows()).map((row) => [row.id, row]));
  for (const name of names) {
    const { size, frame, references } = await files.referencesOf(name).catch((error: unknown) => {
      throw unsound(join('episodes', name), messageOf(error));
    });
    stock.bytes += size;
    const length = references.reduce((sum, reference) => sum + reference.length, 0);
    const file: StockedFile = { name, frame, rows: references.length };
    for (const reference of references) {
      const blobs = use(reference.screenshots);
      const row = rows.get(reference.id);
      if (!row) continue;
      const episode = stock.episodes.get(row.id) ?? { row, bytes: 0, blobs: [], files: [] };
      stock.episodes.set(row.id, episode);
      episode.bytes += ((size - frame) * reference.length) / length;
      episode.blobs.push(...blobs);
      episode.files.push(file);
    }
  }
  return stock;
}

/** Yields the episodes to remove and updates the totals. */
function* choose(
  candidates: readonly StockedEpisode[],
  stock: Stock,
  { keepDays, keepEpisodes, maxBytes }: PruneOptions,
): Generator<StockedEpisode> {
  const since = keepDays === undefined ? -Infinity : Date.now() - keepDays * 86_400_000;
  const surplus = keepEpisodes === undefined ? 0 : candidates.length - keepEpisodes;
  const ordered = [...candidates].sort((a, b) => a.row.startedAt - b.row.startedAt || (a.row.id < b.row.id ? -1 : 1));
  for (const [age, episode] of ordered.entries()) {
    if (episode.row.startedAt >= since && age >= surplus && stock.bytes <= (maxBytes ?? Infinity)) return;
    stock.bytes -= episode.bytes;
    for (const file of episode.files) if (--file.rows === 0) stock.bytes -= file.frame;
    for (const blob of episode.blobs) {
      blob.uses--;
      if (mayGo(blob)) stock.bytes -= blob.size;
    }
    yield episode;
  }
}

function mayGo({ uses, lastUse: wanted }: Blob): boolean {
  return uses === 0 && isForgotten(wanted);
}

/** Returns the number of recordings. Precedes the removal of their episodes: an interrupted run can be repeated. */
async function dropSpeech(
  { speech, audio }: LakeContext,
  episodes: ReadonlySet<string>,
  dryRun = false,
): Promise<number> {
  const entries = (await speech.read()).map((entry) => check(SpeechEntry, entry, 'speech'));
  const recordings = entries.filter((entry) => entry.type === 'recording');
  const shared = new Set(recordings.filter(({ episode }) => !episodes.has(episode)).map(({ hash }) => hash));
  const unused = new Set(recordings.map(({ hash }) => hash).filter((hash) => !shared.has(hash)));
  if (dryRun) return unused.size;
  for (const hash of unused) await audio.drop(hash, () => true);
  await speech.drop((entry) => episodes.has(check(SpeechEntry, entry, 'speech').episode));
  return unused.size;
}

async function dropEpisodes(
  { fs, layout, files, manifest }: LakeContext,
  dropped: readonly StockedEpisode[],
): Promise<void> {
  const ids = new Set(dropped.map(({ row }) => row.id));
  const partly: string[] = [];
  const unlink = async (name: string, why: 'pruned' | 'replaced'): Promise<void> => {
    // Unlisted first: a leftover file is no loss.
    await manifest.record([], [{ file: `episodes/${name}`, why }]);
    const path = join(layout.episodes, name);
    await fs.unlink(path).catch((error: unknown) => {
      if (!isMissing(error)) throw storageError(error, path);
    });
  };
  // Complete files first, to make room for rewriting others.
  for (const name of new Set(dropped.flatMap(({ files: of }) => of.map(({ name }) => name)))) {
    const { references } = await files.referencesOf(name);
    if (references.every(({ id }) => ids.has(id))) await unlink(name, 'pruned');
    else partly.push(name);
  }
  for (const name of partly) {
    const episodes = (await files.episodesOf(name)).flatMap((each) => {
      if ('damage' in each) throw unsound(join('episodes', name), each.damage);
      return ids.has(each.episode.id) ? [] : [each.episode];
    });
    await files.writeInPlaceOf(name, episodes);
    await unlink(name, 'replaced');
  }
}

function unsound(file: string, reason: string): GyreError {
  return new GyreError('corrupt', `lake file ${file} is damaged: ${reason}`, {
    field: file,
    fix: 'move it aside with gyre lake check --repair',
  });
}
