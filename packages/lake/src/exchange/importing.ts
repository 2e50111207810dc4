import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { type ContentHash, GyreError, type Observation, type Point, Size, fromPixels } from '@gyre/protocol';
import sharp from 'sharp';

/** Fractions of the screen, or px of the screenshot. */
export const coordinateSpaces = ['fraction', 'pixels'] as const;
export type CoordinateSpace = (typeof coordinateSpaces)[number];

export interface Place {
  readonly file: string;
  /** From 1; absent if the file is one document. */
  readonly line?: number;
  readonly field: string;
}

/** Marks content that an episode cannot express; its trajectory is omitted. */
export class Unsupported extends Error {
  constructor(
    /** Identical for all of its kind: `pyautogui.tripleClick`. */
    // eslint-disable-next-line gyre/vague-name -- printed as JSON
    readonly what: string,
    readonly field: string,
  ) {
    super(what);
  }
}

/** A malformed document, which is omitted. */
export class MalformedDocument extends GyreError {
  constructor(
    place: Place,
    /** Identical for all of its kind. */
    // eslint-disable-next-line gyre/vague-name -- printed as JSON
    readonly what: string,
    message: string,
    fix: string,
    cause?: unknown,
  ) {
    const { field } = place;
    const where = `${placeName(place)}: ${field === '' ? '' : `${field}: `}`;
    super('bad_input', `${where}${message}`, { field, fix, cause });
  }
}

/** @param kind groups like errors. Default: the message, which then must not name the document */
export function importError(
  place: Place,
  message: string,
  fix: string,
  { kind = message, cause }: { kind?: string; cause?: unknown } = {},
): MalformedDocument {
  return new MalformedDocument(place, `${kind} (${fix})`, message, fix, cause);
}

export function placeName({ file, line }: Place): string {
  return line === undefined ? file : `${file}, line ${line}`;
}

/** @throws GyreError `bad_input` for a point off the screen or of the other space */
export function pointIn(space: CoordinateSpace, x: number, y: number, screen: Size, place: Place): Point {
  if (space === 'pixels') {
    // No px recorder writes a fraction within the first pixel.
    if (x < 1 && y < 1 && !(Number.isInteger(x) && Number.isInteger(y))) {
      throw importError(
        place,
        `(${x}, ${y}) is not in pixels`,
        'if points are fractions (0..1), use --coordinates fraction',
        {
          kind: 'a point that is not in pixels',
        },
      );
    }
    try {
      return fromPixels({ xPx: Math.floor(x), yPx: Math.floor(y) }, screen);
    } catch (error) {
      const size = `${screen.width} x ${screen.height} px`;
      throw importError(place, `(${x}, ${y}) is outside the screen of ${size}`, 'check the recording', {
        kind: 'a point outside the screen',
        cause: error,
      });
    }
  }
  if (x >= 0 && x <= 1 && y >= 0 && y <= 1) return { x, y };
  throw importError(place, `(${x}, ${y}) is not in 0..1`, 'if points are in pixels, use --coordinates pixels', {
    kind: 'a point outside 0..1',
  });
}

export class ScreenshotFiles {
  readonly #paths = new Map<ContentHash, string>();
  #spool: Promise<string> | undefined;

  lieAt(hash: ContentHash, path: string): void {
    this.#paths.set(hash, path);
  }

  async put(hash: ContentHash, png: Uint8Array): Promise<void> {
    if (this.#paths.has(hash)) return;
    try {
      this.#spool ??= mkdtemp(join(tmpdir(), 'gyre-import-'));
      const path = join(await this.#spool, `${hash}.png`);
      await writeFile(path, png);
      this.#paths.set(hash, path);
    } catch (error) {
      throw new GyreError('storage', `cannot store a temporary screenshot: ${(error as Error).message}`, {
        field: 'TMPDIR',
        fix: 'free some space in the temporary folder, or set TMPDIR to another one',
        cause: error,
      });
    }
  }

  read(hash: ContentHash): Promise<Buffer> {
    return readFile(this.#paths.get(hash)!);
  }

  async close(): Promise<void> {
    if (this.#spool) await rm(await this.#spool, { recursive: true, force: true });
  }
}

export class ImportedScreenshots {
  readonly #folder: string;
  readonly #files: ScreenshotFiles;

  readonly #known = new Map<string, Promise<Observation>>();

  constructor(folder: string, files = new ScreenshotFiles()) {
    this.#folder = folder;
    this.#files = files;
  }

  get(name: string, place: Place): Promise<Observation> {
    const path = isAbsolute(name) ? name : join(this.#folder, name);
    const observation = this.#known.get(path) ?? this.#read(path, place);
    this.#known.set(path, observation);
    return observation;
  }

  /** Stores an embedded screenshot as PNG. */
  async keep(bytes: Buffer, place: Place): Promise<Observation> {
    const png = sizeOfPng(bytes) ? bytes : await asPng(bytes, place);
    const size = sizeOfPng(png);
    if (!size) {
      throw importError(place, 'is not an image of a valid screen size', 'omit the document', {
        kind: 'a screenshot of invalid size',
      });
    }
    const screenshot = hashOf(png);
    await this.#files.put(screenshot, png);
    return { screenshot, size };
  }

  async #read(path: string, place: Place): Promise<Observation> {
    const bytes = await readFile(path).catch((error: unknown) => {
      throw importError(place, `cannot read ${path}`, 'name the folder of the screenshots with --images', {
        kind: 'an unreadable screenshot',
        cause: error,
      });
    });
    const size = sizeOfPng(bytes);
    if (!size) return this.keep(bytes, place);
    const screenshot = hashOf(bytes);
    this.#files.lieAt(screenshot, path);
    return { screenshot, size };
  }
}

const hashOf = (bytes: Uint8Array): ContentHash => createHash('sha256').update(bytes).digest('hex');

async function asPng(bytes: Buffer, place: Place): Promise<Buffer> {
  try {
    return await sharp(bytes).png().toBuffer();
  } catch (error) {
    throw importError(place, 'is not an image', 'use a PNG or JPEG', {
      kind: 'a screenshot that is not an image',
      cause: error,
    });
  }
}

/** Reads the header (ISO/IEC 15948, 11.2.2); undefined for other formats. */
function sizeOfPng(bytes: Buffer): Size | undefined {
  if (bytes.length < 24 || bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return undefined;
  return Size.safeParse({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }).data;
}
