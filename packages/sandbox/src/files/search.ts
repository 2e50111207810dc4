import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { GyreError } from '@gyre/protocol';

export interface SearchQuery {
  /** The folder to search. Default: the home. */
  readonly path?: string;
  /** Glob of paths below that folder, such as `src/*.ts`; one without a slash is of names alone. Default: all. */
  readonly glob?: string;
  /** Regular expression that a line must match. Without it, files are found by their names. */
  readonly content?: string;
  readonly ignoreCase?: boolean;
  /** Files, or lines. Default 1,000; at most 10,000. */
  readonly limit?: number;
  /** Default 5 s; at most 60 s. */
  readonly timeoutMs?: number;
}

export interface Match {
  /** From the home. */
  readonly path: string;
  /** Where content was searched: counted from 1, and the line, cut at 500 characters. */
  readonly line?: number;
  readonly text?: string;
}

export interface SearchResult {
  readonly matches: readonly Match[];
  /** Why there may be more; absent where everything was searched. */
  readonly stopped?: 'limit' | 'time';
  /** Files that match by name and were not read: not text, too big, or not to be read. */
  readonly skipped: number;
}

/** What is searched. */
export interface SearchPlace {
  /** A folder as this process can open it. */
  readonly root: string;
  /** Its names from the home. */
  readonly names: readonly string[];
  /** Bytes of a file beyond which it is skipped. */
  readonly maxFile: number;
  readonly hardLinks: boolean;
}

/** What the worker is asked. */
export interface SearchOrder {
  readonly place: SearchPlace;
  readonly query: SearchQuery & { readonly limit: number };
  /** The worker ends the search once the first number is not 0. */
  readonly stop: Int32Array;
}

/** What the worker tells, once it has said that it is ready. */
export type SearchReport =
  | { readonly matches: readonly Match[]; readonly skipped: number; readonly done: false | 'all' | 'limit' | 'time' }
  | { readonly refused: 'glob' | 'content'; readonly why: string }
  | { readonly failed: string };

/** Whoever is in the middle of a pattern does not hear that the time is over. */
const graceMs = 200;

/** A thread that waits for the next search: starting one takes longer than most searches do. */
let idle: Worker | undefined;
const isThreadWaiting = (): boolean => idle !== undefined;

/**
 * Searches in a thread of its own: a pattern that takes for ever holds up nobody and is ended with the thread. A thread that is ended while it
 * opens a file leaves it open (seen with Node 20), so it is asked to stop first, and its time begins when it has read its modules.
 */
export async function search(place: SearchPlace, query: SearchQuery): Promise<SearchResult> {
  const { limit = 1_000, timeoutMs = 5_000, glob = '', content = '' } = query;
  within('limit', limit, 10_000);
  within('timeoutMs', timeoutMs, 60_000);
  for (const [field, text] of Object.entries({ glob, content })) {
    if (text.length <= 1_000) continue;
    throw new GyreError('bad_input', `${field} has ${text.length} characters`, { field, fix: 'give at most 1000' });
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

/** A thread that has read its modules. */
async function started(): Promise<Worker> {
  const worker = new Worker(new URL('./searchWorker.js', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  worker.on('error', () => {});
  worker.on('exit', () => {
    if (idle === worker) idle = undefined;
  });
  await once(worker, 'message').catch((cause: unknown) => {
    throw new GyreError('infra', 'no thread for a search could be started', {
      part: 'machine',
      fix: 'free some memory',
      cause,
    });
  });
  return worker;
}

function noPattern(field: 'glob' | 'content', why: string): GyreError {
  const fix = field === 'glob' ? 'give a glob such as **/*.ts' : 'give a JavaScript regular expression';
  return new GyreError('bad_input', `the ${field} is no pattern: ${why}`, { field, fix });
}

function failed(cause: unknown): GyreError {
  return new GyreError('bad_input', 'the search failed', { field: 'content', fix: 'simplify the pattern', cause });
}

function within(field: string, value: number, most: number): void {
  if (Number.isFinite(value) && value >= 1 && value <= most) return;
  throw new GyreError('bad_input', `${field} is ${value}`, { field, fix: `give 1 to ${most}` });
}
