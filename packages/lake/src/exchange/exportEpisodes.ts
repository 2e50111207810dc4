import { appendFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type ContentHash, type Episode, GyreError, type TurnFormatName } from '@gyre/protocol';
import type { EpisodeFilter } from '../query/episodeIndex.js';
import type { PoolStage } from '../pools/poolSample.js';
import type { Lake } from '../store/lake.js';
import { datasetCard } from './datasetCard.js';
import { desktopReplay } from './desktopReplay.js';
import { type Columns, encodeTable } from './parquetTable.js';
import { screenshotPath } from './screenshotPath.js';
import { sftSamples } from './sft.js';
import { toAtif } from './toAtif.js';
import { turnColumns, turnRows } from './turnRows.js';
import { verlColumns, verlRow } from './verlRows.js';

/**
 * `atif`, `desktop`: a document per episode. `sft`: messages per turn. `jsonl`, `parquet`: a row per turn. `verl`: a
 * row per task.
 */
export const exportFormats = ['atif', 'sft', 'jsonl', 'parquet', 'verl', 'desktop'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ExportOptions {
  readonly format: ExportFormat;
  /** For `sft` and `verl`. Default `t5`. */
  readonly turns?: TurnFormatName;
  /** Screenshots in an `sft` sample. Default 5. */
  readonly window?: number;
  /** Exports the episodes of this pool; of these, `sft` trains on the pool's turns. */
  readonly pool?: PoolStage | undefined;
  /** Per Parquet file. Default 256 MiB. */
  readonly shardBytes?: number;
}

export interface ExportReport {
  readonly episodes: number;
  /** Documents, samples or rows. */
  readonly rows: number;
  readonly screenshots: number;
  /** Turns that the `sft` language cannot express. */
  readonly unsayable: number;
}

/**
 * Exports to a new or empty folder.
 * @throws GyreError `bad_input` for a folder that is not empty; `corrupt` for a missing screenshot; `storage`
 */
export async function exportEpisodes(
  lake: Lake,
  output: string,
  selection: EpisodeFilter,
  options: ExportOptions,
): Promise<ExportReport> {
  const folder = await Folder.make(output, lake);
  const tally = new Tally();
  const pooled = options.pool === undefined ? undefined : await turnsInPool(lake, options.pool);
  const filter: EpisodeFilter = pooled ? { ...selection, ids: pooled.keys() } : selection;
  switch (options.format) {
    case 'atif':
    case 'desktop':
      await writeDocuments(lake, folder, filter, options.format, tally);
      break;
    case 'sft':
    case 'jsonl':
      await writeLines(lake, folder, filter, options, tally, pooled);
      break;
    case 'parquet':
    case 'verl':
      await writeParquet(lake, folder, filter, options, tally);
      break;
  }
  return { ...tally.counts, screenshots: folder.screenshots };
}

/** Turns by episode; undefined for all. */
async function turnsInPool(lake: Lake, stage: PoolStage): Promise<Map<string, readonly number[] | undefined>> {
  const samples = await lake.pool(stage).samples();
  return new Map(samples.map(({ episode, turns }) => [episode, turns === 'all' ? undefined : turns]));
}

class Tally {
  readonly counts = { episodes: 0, rows: 0, unsayable: 0 };
  readonly licences = new Map<string, number>();

  add({ origin }: Episode, rows: number): void {
    this.counts.episodes++;
    this.counts.rows += rows;
    const licence = origin && (origin.licence ?? `unknown (${origin.source})`);
    if (licence !== undefined) this.licences.set(licence, (this.licences.get(licence) ?? 0) + 1);
  }
}

class Folder {
  readonly #lake: Lake;

  readonly #written = new Set<ContentHash>();

  private constructor(
    readonly path: string,
    lake: Lake,
  ) {
    this.#lake = lake;
  }

  static async make(path: string, lake: Lake): Promise<Folder> {
    const there = await stored(path, async () => {
      await mkdir(path, { recursive: true });
      return readdir(path);
    });
    if (there.length > 0) {
      throw new GyreError('bad_input', `${path} is not empty`, {
        field: path,
        fix: 'use a new or empty folder',
      });
    }
    return new Folder(path, lake);
  }

  get screenshots(): number {
    return this.#written.size;
  }

  async write(
    name: string,
    content: string | Uint8Array,
    how: typeof writeFile | typeof appendFile = writeFile,
  ): Promise<void> {
    const path = join(this.path, name);
    await stored(path, async () => {
      await mkdir(dirname(path), { recursive: true });
      await how(path, content);
    });
  }

  async addScreenshots({ observation, turns }: Episode): Promise<void> {
    for (const { screenshot } of [observation, ...turns.map((turn) => turn.observation)]) {
      if (this.#written.has(screenshot)) continue;
      this.#written.add(screenshot);
      await this.write(screenshotPath(screenshot), await this.#lake.screenshot(screenshot));
    }
  }
}

async function stored<T>(path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const fix = 'free some disk space, or use a writable folder';
    throw new GyreError('storage', `cannot write the export: ${reason}`, { field: path, fix, cause: error });
  }
}

async function writeDocuments(
  lake: Lake,
  folder: Folder,
  filter: EpisodeFilter,
  format: 'atif' | 'desktop',
  tally: Tally,
) {
  for await (const episode of lake.episodes(filter)) {
    const name = `${String(tally.counts.episodes + 1).padStart(6, '0')}-${episode.id.replace(/[^\w.-]+/g, '-').slice(0, 80)}.json`;
    if (format === 'atif') {
      await folder.addScreenshots(episode);
      await folder.write(name, `${JSON.stringify(toAtif(episode), undefined, 2)}\n`);
    } else {
      const document = await desktopReplay(episode, (hash) => lake.screenshot(hash));
      await folder.write(name, `${JSON.stringify(document)}\n`);
    }
    tally.add(episode, 1);
  }
}

async function writeLines(
  lake: Lake,
  folder: Folder,
  filter: EpisodeFilter,
  options: ExportOptions,
  tally: Tally,
  pooled: ReadonlyMap<string, readonly number[] | undefined> | undefined,
) {
  const { format, turns: language = 't5', window = 5 } = options;
  const split = splitName(filter);
  const file = `data/${split}.jsonl`;
  for await (const episode of lake.episodes(filter)) {
    const rows =
      format === 'sft'
        ? sftSamples(episode, { format: language, window, only: pooled?.get(episode.id) })
        : turnRows(episode);
    tally.add(episode, rows.length);
    tally.counts.unsayable += (pooled?.get(episode.id) ?? episode.turns).length - rows.length;
    await folder.addScreenshots(episode);
    await folder.write(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''), appendFile);
  }
  const row =
    format === 'sft'
      ? 'Each row is a turn to train on: messages with loss masks, and their screenshots.'
      : 'Each row is a turn: the path of the screenshot before it, and its actions.';
  const columns = format === 'jsonl' ? { columns: { ...turnColumns, screenshot: 'string' } as const } : {};
  await writeCard(folder, tally, { split, file, row, ...columns });
}

async function writeParquet(lake: Lake, folder: Folder, filter: EpisodeFilter, options: ExportOptions, tally: Tally) {
  const { format, turns: language = 't5', shardBytes = 256 * 2 ** 20 } = options;
  const split = splitName(filter);
  const columns: Columns = format === 'verl' ? verlColumns : turnColumns;
  const tasks = new Set<string>();
  let rows: Record<string, unknown>[] = [];
  let bytes = 0;
  let shards = 0;
  const flush = async () => {
    await folder.write(`data/${split}-${String(shards++).padStart(5, '0')}.parquet`, encodeTable(columns, rows));
    rows = [];
    bytes = 0;
  };
  for await (const episode of lake.episodes(filter)) {
    if (format === 'verl') {
      if (tasks.has(episode.task.id)) continue;
      tasks.add(episode.task.id);
      const png = await lake.screenshot(episode.observation.screenshot);
      rows.push(verlRow(episode, tasks.size - 1, { format: language, png }));
      bytes += png.length;
      tally.add(episode, 1);
    } else {
      const turnsOfEpisode = turnRows(episode);
      for (const { screenshot: path, ...row } of turnsOfEpisode) {
        const png = await lake.screenshot(basename(path, '.png'));
        rows.push({ ...wholeNumbers(row, turnColumns), screenshot: { bytes: png, path: basename(path) } });
        bytes += png.length;
      }
      tally.add(episode, turnsOfEpisode.length);
    }
    if (bytes >= shardBytes) await flush();
  }
  if (rows.length > 0 || shards === 0) await flush();
  const row =
    format === 'verl'
      ? 'Each row is a task: a prompt with the first screenshot, and the id that identifies its verifier.'
      : 'Each row is a turn: the screenshot before it, and its actions.';
  await writeCard(folder, tally, {
    split,
    file: `data/${split}-*.parquet`,
    row,
    ...(format === 'parquet' && { columns }),
  });
}

function wholeNumbers(row: Readonly<Record<string, unknown>>, columns: Columns): Record<string, unknown> {
  const big = (value: unknown) => (typeof value === 'number' ? BigInt(value) : value);
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const type = columns[name];
      if (type === 'int64') return [name, big(value)];
      const isList = typeof type === 'object' && 'list' in type && type.list === 'int64' && Array.isArray(value);
      return [name, isList ? value.map(big) : value];
    }),
  );
}

async function writeCard(
  folder: Folder,
  { counts, licences }: Tally,
  { split, file, row, columns }: { split: string; file: string; row: string; columns?: Columns },
): Promise<void> {
  const { episodes, rows } = counts;
  const content = { name: basename(resolve(folder.path)), files: file, split, episodes, rows, row, licences };
  await folder.write('README.md', datasetCard({ ...content, ...(columns && { columns }) }));
}

function splitName({ split = 'train' }: EpisodeFilter): string {
  return split === 'dev' ? 'validation' : split;
}
