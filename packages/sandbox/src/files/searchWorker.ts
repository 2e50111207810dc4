import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import picomatch from 'picomatch';
import type { Match, SearchPlace, SearchQuery, SearchReport } from './search.js';
import { linesOf, textOf } from './text.js';
import { Tree } from './tree.js';
import { maxDepth, walk, type Met } from './walk.js';

/** The thread of a search: tells what it finds as it goes, since it may be ended at any time. */

const { place, query } = workerData as { place: SearchPlace; query: SearchQuery & { limit: number } };
const longestLine = 500;
let skipped = 0;
let found = 0;

const tell = (report: SearchReport): void => parentPort!.postMessage(report);

function pattern<Compiled>(refused: 'glob' | 'content', compile: () => Compiled): Compiled | undefined {
  try {
    return compile();
  } catch (error) {
    tell({ refused, why: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}

const { glob, content, ignoreCase = false } = query;
const named = pattern('glob', () =>
  glob === undefined ? () => true : picomatch(glob, { dot: true, nocase: ignoreCase, basename: !glob.includes('/') }),
);
const matching = pattern('content', () => new RegExp(content ?? '', ignoreCase ? 'i' : ''));
if (named !== undefined && matching !== undefined) await searchAll(named, matching);

async function searchAll(named: (path: string) => boolean, matching: RegExp): Promise<void> {
  const tree = await Tree.open(place.root, '/');
  try {
    for await (const met of walk(tree, tree.root, maxDepth)) {
      if (met.stats.isDirectory() || !named(met.names.join('/'))) continue;
      const path = [...place.names, ...met.names].join('/');
      const matches = content === undefined ? [{ path }] : linesIn(met, path, matching);
      const room = query.limit - found;
      found += Math.min(room, matches.length);
      if (matches.length > room) {
        tell({ matches: matches.slice(0, room), skipped, done: 'limit' });
        return;
      }
      if (matches.length > 0) tell({ matches, skipped, done: false });
    }
    tell({ matches: [], skipped, done: 'all' });
  } finally {
    await tree.close();
  }
}

function linesIn({ handle, stats }: Met, path: string, matching: RegExp): Match[] {
  const readable = stats.isFile() && stats.size <= place.maxFile && (place.hardLinks || stats.nlink === 1);
  const text = readable ? textOf(contents(handle.fd)) : undefined;
  if (text === undefined) {
    skipped += 1;
    return [];
  }
  const matches: Match[] = [];
  for (const [index, whole] of linesOf(text).entries()) {
    const line = whole.replace(/\r?\n$/, '');
    if (matching.test(line)) matches.push({ path, line: index + 1, text: line.slice(0, longestLine) });
    if (matches.length > query.limit) break;
  }
  return matches;
}

/** At most `maxFile` bytes, whatever the file has become meanwhile. */
function contents(fd: number): Uint8Array {
  const file = openSync(`/proc/self/fd/${fd}`, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return fstatSync(file).size > place.maxFile ? new Uint8Array([0]) : readFileSync(file);
  } finally {
    closeSync(file);
  }
}
