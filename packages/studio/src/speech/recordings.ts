import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Lake } from '@gyre/lake';
import { GyreError, type SpeechEntry } from '@gyre/protocol';
import { z } from 'zod';
import { readWebm } from './webm.js';

/** A recording whose page is not heard of for so long is complete, in ms. */
const idleMs = 60_000;

const RecordingTerms = z.strictObject({
  episode: z.string().min(1),
  by: z.string().trim().min(1).max(60),
  /** When it began, by this machine's clock. */
  at: z.iso.datetime(),
});
type RecordingTerms = z.infer<typeof RecordingTerms>;

const chunkName = /^\d{6}\.part$/;

/**
 * Takes recordings in chunks while people speak, as files `RUN/recordings/ID/NUMBER.part`, and puts complete ones into the
 * lake. Recordings whose page or server died are put there too, as far as they came.
 */
export class Recordings {
  readonly #folder: string;
  readonly #lake: Lake;

  constructor(directory: string, lake: Lake) {
    this.#folder = join(directory, 'recordings');
    this.#lake = lake;
  }

  /** Stores a chunk before it returns. A chunk may be sent again. */
  async add(id: string, number: number, terms: RecordingTerms, chunk: Uint8Array): Promise<void> {
    const folder = join(this.#folder, id);
    await storing(folder, async () => {
      if (number === 0) {
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, 'recording.json'), JSON.stringify(terms));
      }
      const path = join(folder, `${String(number).padStart(6, '0')}.part`);
      await writeFile(`${path}.new`, chunk, { flush: true });
      await rename(`${path}.new`, path);
    });
  }

  /**
   * Puts a recording into the lake.
   *
   * @param count chunks that were sent; undefined takes those that came
   * @returns undefined if there is no such recording, perhaps because it is in the lake
   * @throws GyreError `bad_input` for missing chunks, or for something that is no recording, which is set aside
   */
  async end(id: string, count?: number): Promise<SpeechEntry | undefined> {
    const folder = join(this.#folder, id);
    const names = await readdir(folder).catch(ifMissing);
    if (names.length === 0) return undefined;
    const chunks = names.filter((name) => chunkName.test(name)).sort();
    // A chunk behind a gap cannot be decoded.
    const gap = chunks.findIndex((name, i) => Number(name.slice(0, 6)) !== i);
    const whole = gap < 0 ? chunks : chunks.slice(0, gap);
    if (count !== undefined && whole.length < count) {
      throw new GyreError('bad_input', `chunk ${whole.length} of ${count} is missing`, {
        field: 'count',
        fix: 'send it, then end the recording again',
      });
    }
    try {
      const terms = RecordingTerms.parse(JSON.parse(await readFile(join(folder, 'recording.json'), 'utf8')));
      const bytes = Buffer.concat(await Promise.all(whole.map((name) => readFile(join(folder, name)))));
      const { durationMs } = readWebm(bytes);
      const hash = await this.#lake.putAudio(bytes, createHash('sha256').update(bytes).digest('hex'));
      const entry: SpeechEntry = { type: 'recording', ...terms, hash, durationMs };
      await this.#lake.putSpeech(entry);
      await rm(folder, { recursive: true });
      return entry;
    } catch (error) {
      if (error instanceof GyreError && error.code === 'storage') throw error;
      const place = `${folder}.damaged`;
      // Another process may have ended it meanwhile.
      const isHere = await rename(folder, place).then(
        () => true,
        () => false,
      );
      if (!isHere) return undefined;
      const reason = error instanceof GyreError ? error.message : 'it has no recording.json that can be read';
      throw new GyreError('bad_input', `the recording ${id} is damaged: ${reason}`, {
        ...{ field: 'audio', cause: error, fix: `what came of it is in ${place}` },
      });
    }
  }

  /** Puts recordings into the lake that nobody adds to any more; returns their episodes. */
  async endIdle(): Promise<string[]> {
    const episodes: string[] = [];
    for (const id of await readdir(this.#folder).catch(ifMissing)) {
      if (id.endsWith('.damaged') || !(await this.#isIdle(id))) continue;
      const entry = await this.end(id).catch(ifDamaged);
      if (entry) episodes.push(entry.episode);
    }
    return episodes;
  }

  async #isIdle(id: string): Promise<boolean> {
    const { mtimeMs } = await stat(join(this.#folder, id)).catch(() => ({ mtimeMs: Infinity }));
    return Date.now() - mtimeMs > idleMs;
  }
}

async function storing(folder: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    const isUnknown = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    throw isUnknown
      ? new GyreError('bad_input', 'the recording has not begun, or has ended', {
          field: 'number',
          fix: 'send chunk 0 first',
        })
      : new GyreError('storage', `cannot write ${folder}: ${String(cause)}`, {
          ...{ field: folder, fix: 'check the disk and its permissions', cause },
        });
  }
}

function ifMissing(error: unknown): string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
  throw error;
}

function ifDamaged(error: unknown): undefined {
  if (error instanceof GyreError && error.code === 'bad_input') return undefined;
  throw error;
}
