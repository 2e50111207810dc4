import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Episode, GyreError } from '@gyre/protocol';
import type { Lake } from '../store/lake.js';
import { fromAgentNet } from './agentNet.js';
import { fromAtif } from './fromAtif.js';
import { fromDesktop } from './fromDesktop.js';
import {
  type CoordinateSpace,
  ImportedScreenshots,
  MalformedDocument,
  type Place,
  ScreenshotFiles,
  Unsupported,
  importError,
  placeName,
} from './importing.js';
import { type Reading, checked } from './reading.js';

const formats = { atif: fromAtif, agentnet: fromAgentNet, desktop: fromDesktop };
export type ImportFormat = keyof typeof formats;
export const importFormats = Object.keys(formats) as [ImportFormat, ...ImportFormat[]];

export interface ImportOptions {
  readonly format: ImportFormat;
  /** Screenshot folder. Default: the file's. */
  readonly images?: string;
  /** Author. Default: the file's name. */
  readonly source?: string;
  readonly licence?: string;
  /** Default `fraction`. */
  readonly coordinates?: CoordinateSpace;
}

export interface ImportReport {
  readonly imported: number;
  readonly known: number;
  /** By reason, most frequent first. */
  // eslint-disable-next-line gyre/vague-name -- printed as JSON
  readonly leftOut: readonly { readonly what: string; readonly count: number; readonly first: string }[];
}

/**
 * Imports `.json` documents and `.jsonl` files. Reads everything before writing anything, and omits malformed or
 * unsupported documents.
 * @throws GyreError `bad_input` for an unreadable file; `storage`
 */
export async function importFiles(lake: Lake, files: readonly string[], options: ImportOptions): Promise<ImportReport> {
  const screenshots = new ScreenshotFiles();
  const reader = new Reader(options, screenshots);
  const { episodes, leftOut } = reader;
  const known = new Set<string>();
  try {
    for (const file of files) await reader.read(file);
    for await (const { id } of lake.episodes({ ids: episodes.keys() })) known.add(id);
    for (const [id, episode] of episodes) if (!known.has(id)) await write(lake, episode, screenshots);
    await lake.flush();
  } finally {
    await screenshots.close();
  }
  return {
    imported: episodes.size - known.size,
    known: known.size,
    leftOut: [...leftOut].map(([what, rest]) => ({ what, ...rest })).sort((a, b) => b.count - a.count),
  };
}

class Reader {
  readonly #options: ImportOptions;
  readonly #files: ScreenshotFiles;

  readonly episodes = new Map<string, Episode>();
  readonly leftOut = new Map<string, { count: number; first: string }>();
  readonly #now = new Date().toISOString();

  constructor(options: ImportOptions, files: ScreenshotFiles) {
    this.#options = options;
    this.#files = files;
  }

  async read(file: string): Promise<void> {
    const {
      format,
      images = dirname(file),
      source = basename(file),
      licence,
      coordinates = 'fraction',
    } = this.#options;
    const shared = {
      ...{ coordinates, now: this.#now, family: format },
      screenshots: new ImportedScreenshots(resolve(images), this.#files),
      origin: { format, source, ...(licence !== undefined && { licence }) },
    };
    for await (const { text, place } of documents(file)) {
      const name = `${basename(file)}${place.line === undefined ? '' : `:${place.line}`}`;
      await this.#add(text, { ...shared, place, name });
    }
  }

  async #add(text: string, reading: Reading): Promise<void> {
    const { place } = reading;
    try {
      const read = formats[this.#options.format];
      const episode = checked(Episode, await read(parse(text, place), reading), '', reading);
      if (this.episodes.has(episode.id)) {
        const fix = 'give every trajectory a unique id';
        const kind = 'a duplicate id';
        throw importError({ ...place, field: 'id' }, `the id ${episode.id} occurs twice`, fix, { kind });
      }
      this.episodes.set(episode.id, episode);
    } catch (error) {
      if (error instanceof Unsupported) this.#leaveOut(error.what, `${placeName(place)}, ${error.field}`);
      else if (error instanceof MalformedDocument) this.#leaveOut(error.what, error.message);
      else throw error;
    }
  }

  #leaveOut(reason: string, place: string): void {
    const { count, first } = this.leftOut.get(reason) ?? { count: 0, first: place };
    this.leftOut.set(reason, { count: count + 1, first });
  }
}

async function write(lake: Lake, episode: Episode, screenshots: ScreenshotFiles): Promise<void> {
  const { turns, end, verdict, ...start } = episode;
  for (const { screenshot } of [episode.observation, ...turns.map(({ observation }) => observation)]) {
    await lake.putScreenshot(await screenshots.read(screenshot), screenshot);
  }
  const writer = await lake.begin(start);
  for (const turn of turns) await writer.append(turn);
  await writer.finish(end, verdict);
}

async function* documents(file: string): AsyncGenerator<{ text: string; place: Place }> {
  try {
    if (!file.endsWith('.jsonl')) {
      const place = { file, field: '' };
      yield { text: await readFile(file, 'utf8'), place };
      return;
    }
    let line = 0;
    for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
      line++;
      if (text.trim() === '') continue;
      const place = { file, line, field: '' };
      yield { text, place };
    }
  } catch (error) {
    if (error instanceof GyreError || !(error instanceof Error && 'code' in error)) throw error;
    throw new GyreError('bad_input', `cannot read ${file}: ${error.message}`, {
      field: 'file',
      fix: 'check the path and its permissions',
      cause: error,
    });
  }
}

function parse(text: string, place: Place): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const line =
      place.line ?? (position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length);
    const where = line === undefined ? place : { ...place, line };
    throw importError(
      where,
      `is not valid JSON: ${(error as Error).message}`,
      'use complete JSON; in .jsonl, one document per line',
      { kind: 'invalid JSON', cause: error },
    );
  }
}
