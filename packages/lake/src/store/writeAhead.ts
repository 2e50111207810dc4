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
  return new WriteAheadReader().read(bytes);
}

/** Reads a file that grows, each line once. */
export class WriteAheadReader {
  #start: EpisodeStart | undefined;
  #turns: Turn[] = [];
  #lines = 0;
  #offset = 0;

  /** @param bytes of the whole file, which begins as before */
  read(bytes: Uint8Array): WriteAheadContent {
    let start = this.#start;
    let turns = this.#turns;
    const episode = (end: EpisodeEnd, verdict?: Verdict): Episode | undefined =>
      start && { ...start, turns: [...turns], end, ...(verdict && { verdict }) };
    const cut = (damage?: string): WriteAheadContent => {
      const rest = episode({ state: 'cut' });
      return { ...(rest && { episode: rest }), ...(damage !== undefined && { damage }) };
    };

    let number = this.#lines;
    for (let offset = this.#offset; offset < bytes.length;) {
      number++;
      const lineBreak = bytes.indexOf(0x0a, offset);
      const to = lineBreak < 0 ? bytes.length : lineBreak;
      const line = decodeLine(bytes.subarray(offset, to));
      if (!line) return cut(lineBreak < 0 ? undefined : `line ${number} does not match its checksum`);
      offset = to + 1;
      // It is read again when it is whole.
      if (lineBreak < 0) turns = [...turns];

      if ('start' in line && !start) start = line.start;
      else if ('turn' in line && start && line.turn.index === turns.length) turns.push(line.turn);
      else if ('seen' in line && turns.length > 0) turns.push({ ...turns.pop()!, observation: line.seen });
      else if ('kept' in line && start && line.kept <= turns.length) turns.length = line.kept;
      else if ('end' in line && start) {
        if (offset < bytes.length) return cut('lines follow the end of the episode');
        const whole = episode(line.end, line.verdict);
        return whole ? { episode: whole } : {};
      } else return cut(`line ${number} is out of order`);
      if (lineBreak >= 0) [this.#start, this.#turns, this.#lines, this.#offset] = [start, turns, number, offset];
    }
    return cut();
  }
}

/** Reads only the last line. */
export function hasEnded(bytes: Uint8Array): boolean {
  if (bytes.at(-1) !== 0x0a) return false;
  const from = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
  const line = decodeLine(bytes.subarray(from, -1));
  return line !== undefined && 'end' in line;
}

/** Reads a line without its break; undefined if it is damaged. */
export function decodeLine(bytes: Uint8Array): Line | undefined {
  const json = bytes.subarray(9);
  if (Buffer.from(bytes.subarray(0, 9)).toString('latin1') !== `${checksum(json)} `) return undefined;
  try {
    return Line.parse(JSON.parse(Buffer.from(json).toString('utf8')));
  } catch {
    return undefined;
  }
}
