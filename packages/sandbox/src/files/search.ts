import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { GyreError } from '@gyre/protocol';

export interface SearchQuery {
  /** Default: the home. */
  readonly path?: string;
  /** Matches paths below `path`, such as `src/*.ts`; without a slash, names. Default: all. */
  readonly glob?: string;
  /** Regular expression for lines. Without it, files match by name. */
  readonly content?: string;
  readonly ignoreCase?: boolean;
  /** Files or lines. Default: 1,000; at most 10,000. */
  readonly limit?: number;
  /** Default: 5 s; at most 60 s. */
  readonly timeoutMs?: number;
}

export interface Match {
  /** Relative to the home. */
  readonly path: string;
  /** For content searches: from 1, and the line, cut at 500 characters. */
  readonly line?: number;
  readonly text?: string;
}

export interface SearchResult {
  readonly matches: readonly Match[];
  readonly stopped?: 'limit' | 'time';
  /** Match by name but are not text, too big or unreadable. */
  readonly skipped: number;
}

export interface SearchPlace {
  readonly root: string;
  readonly names: readonly string[];
  /** Larger files are skipped. */
  readonly maxFile: number;
  readonly hardLinks: boolean;
}

export interface SearchOrder {
  readonly place: SearchPlace;
  readonly query: SearchQuery & { readonly limit: number };
  readonly stop: Int32Array;
}

export type SearchReport =
  | { readonly matches: readonly Match[]; readonly skipped: number; readonly done: false | 'all' | 'limit' | 'time' }
  | { readonly refused: 'glob' | 'content'; readonly why: string }
  | { readonly failed: string };

/** The flag is not read during a match. */
const graceMs = 200;

/** Starting a thread takes longer than most searches. */
let idle: Worker | undefined;
const isThreadWaiting = (): boolean => idle !== undefined;

/**
 * Searches in a worker thread, with which a runaway pattern ends. A thread terminated while it opens a file leaks it
 * (Node 20), so it is asked to stop first. Its time starts once its modules are loaded.
 */
export async function search(place: SearchPlace, query: SearchQuery): Promise<SearchResult> {
  const { limit = 1_000, timeoutMs = 5_000, glob = '', content = '' } = query;
  within('limit', limit, 10_000);
  within('timeoutMs', timeoutMs, 60_000);
  for (const [field, text] of Object.entries({ glob, content })) {
    if (text.length <= 1_000) continue;
    throw new GyreError('bad_input', `the ${field} is too long: ${text.length} characters`, {
      field,
      fix: 'use at most 1000',
    });
  }
  const waiting = idle;
  idle = undefined;
  const worker = waiting ?? (await started());
  worker.ref();
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const matches: Match[] = [];
  let skipped = 0;
  const ended = { whole: false };
  let timer: NodeJS.Timeout | undefined;
  let hear: (report: SearchReport) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  try {
    const stopped = await new Promise<SearchResult['stopped']>((resolve, reject) => {
      timer = setTimeout(() => {
        Atomics.store(stop, 0, 1);
        timer = setTimeout(() => resolve('time'), graceMs);
      }, timeoutMs);
      hear = (report) => {
        if ('matches' in report) {
          matches.push(...report.matches);
          skipped = report.skipped;
        }
        ended.whole = !('done' in report) || report.done !== false;
        if ('refused' in report) reject(noPattern(report.refused, report.why));
        else if ('failed' in report) reject(failed(report.failed));
        else if (report.done !== false) resolve(report.done === 'all' ? undefined : report.done);
      };
      fail = (error) => reject(failed(error));
      worker.on('message', hear).on('error', fail);
      worker.postMessage({ place, query: { ...query, limit }, stop } satisfies SearchOrder);
    });
    return { matches, skipped, ...(stopped === undefined ? {} : { stopped }) };
  } finally {
    clearTimeout(timer);
    worker.off('message', hear).off('error', fail);
    worker.unref();
    if (ended.whole && !isThreadWaiting()) idle = worker;
    else await worker.terminate();
  }
}

async function started(): Promise<Worker> {
  const worker = new Worker(new URL('./searchWorker.js', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  worker.on('error', () => {});
  worker.on('exit', () => {
    if (idle === worker) idle = undefined;
  });
  await once(worker, 'message').catch((cause: unknown) => {
    throw new GyreError('infra', 'cannot start a search thread', {
      part: 'machine',
      fix: 'free some memory',
      cause,
    });
  });
  return worker;
}

function noPattern(field: 'glob' | 'content', why: string): GyreError {
  const fix = field === 'glob' ? 'use a glob such as **/*.ts' : 'use a JavaScript regular expression';
  return new GyreError('bad_input', `the ${field} is not a valid pattern: ${why}`, { field, fix });
}

function failed(cause: unknown): GyreError {
  return new GyreError('bad_input', 'the search failed', { field: 'content', fix: 'simplify the pattern', cause });
}

function within(field: string, value: number, max: number): void {
  if (Number.isFinite(value) && value >= 1 && value <= max) return;
  throw new GyreError('bad_input', `invalid ${field}: ${value}`, { field, fix: `use a number from 1 to ${max}` });
}
