import type { EpisodeEnd, EpisodeStart, Turn, Verdict } from '@gyre/protocol';
import { join } from 'node:path';
import { type FileSystem, isMissing, readFrom } from './fileSystem.js';
import { ownerOf } from './layout.js';
import { ownerLives } from './lock/owner.js';
import { watchFolder, type WatchOptions } from './watchFolder.js';
import { type Line, WriteAheadReader } from './writeAhead.js';

/** Describes what writers do. A turn is repeated if its observation is replaced. */
export type LakeEvent =
  | { readonly type: 'begin'; readonly start: EpisodeStart }
  | { readonly type: 'turn'; readonly start: EpisodeStart; readonly turn: Turn }
  /** Only the first `turns` turns are left. */
  | { readonly type: 'retract'; readonly start: EpisodeStart; readonly turns: number }
  | {
      readonly type: 'end';
      readonly start: EpisodeStart;
      readonly turns: number;
      /** Absent if its file has gone already: the lake has the episode. */
      readonly end?: EpisodeEnd;
      readonly verdict?: Verdict;
    };

interface Followed {
  reader: WriteAheadReader;
  /** Bytes that were there before: their lines are not told. */
  readonly before: number;
  start?: EpisodeStart;
  last?: Turn;
  ended: boolean;
}

const livenessMs = 5_000;

/**
 * Tells what the write-ahead files of live writers gain, from now on. Reads only what is new. An episode whose writer
 * dies ends as cut. Returns a function that ends it.
 */
export async function followWriteAhead(
  fs: FileSystem,
  folder: string,
  onEvent: (event: LakeEvent) => void,
  options: WatchOptions = {},
): Promise<() => void> {
  const files = new Map<string, Followed>();
  /** Turns told by episode: a file that was taken over is written again. */
  const toldTurns = new Map<string, number>();

  const take = (file: Followed, line: Line, isNew: boolean): void => {
    if ('start' in line) {
      file.start = line.start;
      if (isNew && !toldTurns.has(line.start.id)) onEvent({ type: 'begin', start: line.start });
      toldTurns.set(line.start.id, toldTurns.get(line.start.id) ?? 0);
    } else if (file.start) {
      const { start } = file;
      if ('end' in line) {
        file.ended = true;
        // Its turns are not needed again.
        file.reader = new WriteAheadReader();
        const turns = toldTurns.get(start.id) ?? 0;
        toldTurns.delete(start.id);
        if (isNew) onEvent({ type: 'end', start, turns, ...line });
        return;
      }
      if ('kept' in line) {
        toldTurns.set(start.id, line.kept);
        delete file.last;
        if (isNew) onEvent({ type: 'retract', start, turns: line.kept });
        return;
      }
      const turn = 'turn' in line ? line.turn : file.last && { ...file.last, observation: line.seen };
      if (!turn) return;
      file.last = turn;
      const isRepeated = 'turn' in line && turn.index < (toldTurns.get(start.id) ?? 0);
      toldTurns.set(start.id, Math.max(toldTurns.get(start.id) ?? 0, turn.index + 1));
      if (isNew && !isRepeated) onEvent({ type: 'turn', start, turn });
    }
  };
  const read = async (name: string): Promise<void> => {
    const file = files.get(name) ?? { reader: new WriteAheadReader(), before: 0, ended: false };
    if (file.ended) return;
    try {
      const { reader, before } = file;
      const bytes = await readFrom(fs, join(folder, name), reader.offset);
      files.set(name, file);
      const old = Math.max(0, before - reader.offset);
      for (const line of reader.append(bytes.subarray(0, old))) take(file, line, false);
      for (const line of reader.append(bytes.subarray(old))) take(file, line, true);
    } catch (error) {
      if (!isMissing(error)) throw error;
      files.delete(name);
      const { start } = file;
      if (!start || !toldTurns.has(start.id)) return;
      onEvent({ type: 'end', start, turns: toldTurns.get(start.id) ?? 0 });
      toldTurns.delete(start.id);
    }
  };
  for (const name of await fs.readdir(folder)) {
    if (!isEpisode(name)) continue;
    const size = await fs.stat(join(folder, name)).then(
      (seen) => seen.size,
      () => undefined,
    );
    if (size !== undefined) files.set(name, { reader: new WriteAheadReader(), before: size, ended: false });
  }
  const endDead = async (): Promise<void> => {
    const lives = new Map<string, boolean>();
    for (const [name, file] of files) {
      const { start } = file;
      if (!start || file.ended) continue;
      const owner = ownerOf(name);
      if (!lives.has(owner)) lives.set(owner, await ownerLives(fs, folder, owner).catch(() => true));
      if (lives.get(owner) === true) continue;
      await read(name);
      if (!toldTurns.has(start.id)) continue;
      file.ended = true;
      onEvent({ type: 'end', start, turns: toldTurns.get(start.id) ?? 0, end: { state: 'cut' } });
      toldTurns.delete(start.id);
    }
  };
  const stop = watchFolder(
    folder,
    async (names) => {
      for (const name of names) if (isEpisode(name)) await read(name).catch(() => undefined);
    },
    options,
  );
  const timer = setInterval(() => void endDead(), livenessMs).unref();
  return () => {
    clearInterval(timer);
    stop();
  };
}

const isEpisode = (name: string): boolean => name.endsWith('.jsonl');
