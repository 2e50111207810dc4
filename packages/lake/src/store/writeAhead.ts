import { type Episode, EpisodeEnd, EpisodeStart, Observation, Turn, Verdict } from '@gyre/protocol';
import { z } from 'zod';
import { checksum } from './checksum.js';

/**
 * A line is `CHECKSUM JSON `, by CRC-32 in hex. A file is one `start`, turns, each perhaps followed by a later
 * observation (`seen`) or their retraction (`kept` turns remain), and at most one `end`.
 */
const Line = z.union([
  z.strictObject({ start: EpisodeStart }),
  z.strictObject({ turn: Turn }),
  z.strictObject({ seen: Observation }),
  z.strictObject({ kept: z.int().nonnegative() }),
  z.strictObject({ end: EpisodeEnd, verdict: Verdict.optional() }),
]);
export type Line = z.infer<typeof Line>;

export function encodeLine(line: Line): Buffer {
  const json = JSON.stringify(line);
  return Buffer.from(`${checksum(json)} ${json}\n`);
}

export interface WriteAheadContent {
  readonly episode?: Episode;
  /** Complete lines were altered; the episode ends before them. */
  readonly damage?: string;
}

/** Returns a cut episode without an end line. Drops an incomplete last line, unless only its line break is missing. */
export function readWriteAhead(bytes: Uint8Array): WriteAheadContent {
  const reader = new WriteAheadReader();
  reader.append(bytes);
  return reader.content;
}

/** An episode so far. */
interface Progress {
  readonly start?: EpisodeStart;
  readonly turns: readonly Turn[];
  readonly finish?: Extract<Line, { end: EpisodeEnd }>;
}

/** Reads a file as it grows, each byte once. */
export class WriteAheadReader {
  #progress: Progress = { turns: [] };
  #lines = 0;
  #offset = 0;
  /** Begins with what is not a line yet. */
  #rest: Uint8Array = new Uint8Array();
  #damage: string | undefined;

  /** Bytes taken so far. */
  get offset(): number {
    return this.#offset;
  }

  /** Takes what the file gained, and returns the lines that it completes. Nothing follows damage. */
  append(bytes: Uint8Array): Line[] {
    this.#offset += bytes.length;
    if (this.#damage !== undefined) return [];
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const completed: Line[] = [];
    let from = 0;
    let to = this.#rest.indexOf(0x0a);
    for (; to >= 0 && this.#damage === undefined; to = this.#rest.indexOf(0x0a, from)) {
      const line = decodeLine(this.#rest.subarray(from, to));
      const next = line && after(this.#progress, line);
      this.#lines++;
      if (next) {
        this.#progress = next;
        completed.push(line);
      } else this.#damage = this.#reasonOf(line);
      from = to + 1;
    }
    // A copy, so that the rest does not keep the whole.
    this.#rest = new Uint8Array(this.#rest.subarray(from));
    return completed;
  }

  get content(): WriteAheadContent {
    const last = this.#damage === undefined && this.#rest.length > 0 ? decodeLine(this.#rest) : undefined;
    const next = last && after(this.#progress, last);
    const damage = this.#damage ?? (this.#progress.finish && this.#rest.length > 0 ? afterEnd : undefined);
    const { start, turns, finish } = next ?? this.#progress;
    // Lines after the end make it doubtful.
    const ending = finish && damage === undefined ? finish : { end: { state: 'cut' as const }, verdict: undefined };
    const { end, verdict } = ending;
    return {
      ...(start && { episode: { ...start, turns: [...turns], end, ...(verdict && { verdict }) } }),
      ...(damage !== undefined && { damage }),
    };
  }

  #reasonOf(line: Line | undefined): string {
    if (this.#progress.finish) return afterEnd;
    return line ? `line ${this.#lines} is out of order` : `line ${this.#lines} does not match its checksum`;
  }
}

const afterEnd = 'lines follow the end of the episode';

/** Returns the episode after a line; undefined if the line is out of order. */
function after({ start, turns, finish }: Progress, line: Line): Progress | undefined {
  if (finish) return undefined;
  if ('start' in line) return start ? undefined : { start: line.start, turns };
  if (!start) return undefined;
  if ('turn' in line) return line.turn.index === turns.length ? { start, turns: [...turns, line.turn] } : undefined;
  if ('kept' in line) return line.kept <= turns.length ? { start, turns: turns.slice(0, line.kept) } : undefined;
  if ('end' in line) return { start, turns, finish: line };
  const last = turns.at(-1);
  return last && { start, turns: [...turns.slice(0, -1), { ...last, observation: line.seen }] };
}

/** Reads only the last line. */
export function hasEnded(bytes: Uint8Array): boolean {
  if (bytes.at(-1) !== 0x0a) return false;
  const from = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
  const line = decodeLine(bytes.subarray(from, -1));
  return line !== undefined && 'end' in line;
}

/** Reads a line without its break; undefined if it is damaged. */
function decodeLine(bytes: Uint8Array): Line | undefined {
  const json = bytes.subarray(9);
  if (Buffer.from(bytes.subarray(0, 9)).toString('latin1') !== `${checksum(json)} `) return undefined;
  try {
    return Line.parse(JSON.parse(Buffer.from(json).toString('utf8')));
  } catch {
    return undefined;
  }
}
