import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import picomatch from 'picomatch';
import type { Match, SearchOrder, SearchReport } from './search.js';
import { linesOf, textOf } from './text.js';
import { Tree } from './tree.js';
import { maxDepth, walk, type WalkEntry } from './walk.js';

/** Reports matches as they come, since the thread may be terminated at any time. */

const longestLine = 500;

const tell = (report: SearchReport): void => parentPort!.postMessage(report);

parentPort!.on('message', (order: SearchOrder) => {
  searchAll(order).catch((error: unknown) => tell({ failed: messageOf(error) }));
});
parentPort!.postMessage('ready');

async function searchAll({ place, query, stop }: SearchOrder): Promise<void> {
  const { glob, content, ignoreCase = false } = query;
  const basename = glob?.includes('/') === false;
  const named = compiled('glob', () => picomatch(glob ?? '**', { dot: true, nocase: ignoreCase, basename }));
  const matching = compiled('content', () => new RegExp(content ?? '', ignoreCase ? 'i' : ''));
  if (named === undefined || matching === undefined) return;
  let skipped = 0;
  let matchCount = 0;
  let done: 'all' | 'limit' | 'time' = 'all';
  const tree = await Tree.open(place.root, '/');
  try {
    for await (const met of walk(tree, tree.root, maxDepth)) {
      if (Atomics.load(stop, 0) !== 0) {
        done = 'time';
        break;
      }
      if (met.stats.isDirectory() || !named(met.names.join('/'))) continue;
      const path = [...place.names, ...met.names].join('/');
      const readable = met.stats.isFile() && (place.hardLinks || met.stats.nlink === 1);
      const text = content !== undefined && readable ? textIn(met, place.maxFile) : undefined;
      if (content !== undefined && text === undefined) skipped += 1;
      const matches = content === undefined ? [{ path }] : linesIn(text ?? '', path, matching, query.limit);
      const room = query.limit - matchCount;
      matchCount += matches.length;
      if (matches.length > 0) tell({ matches: matches.slice(0, room), skipped, done: false });
      if (matches.length > room) {
        done = 'limit';
        break;
      }
    }
  } finally {
    await tree.close();
  }
  // Only now is every file closed.
  tell({ matches: [], skipped, done });
}

function compiled<Pattern>(refused: 'glob' | 'content', compile: () => Pattern): Pattern | undefined {
  try {
    return compile();
  } catch (error) {
    tell({ refused, why: messageOf(error) });
    return undefined;
  }
}

/** Returns at most one line above the limit. */
function linesIn(text: string, path: string, matching: RegExp, limit: number): Match[] {
  const matches: Match[] = [];
  for (const [index, whole] of linesOf(text).entries()) {
    const line = whole.replace(/\r?\n$/, '');
    if (matching.test(line)) matches.push({ path, line: index + 1, text: line.slice(0, longestLine) });
    if (matches.length > limit) break;
  }
  return matches;
}

/** Returns undefined if the file has grown beyond `maxFile`. */
function textIn({ handle }: WalkEntry, maxFile: number): string | undefined {
  const file = openSync(`/proc/self/fd/${handle.fd}`, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return fstatSync(file).size > maxFile ? undefined : textOf(readFileSync(file));
  } finally {
    closeSync(file);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
