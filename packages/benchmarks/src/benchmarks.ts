import { GyreError } from '@gyre/protocol';
import type { Benchmark } from './benchmark.js';
import type { OfficialCode } from './bridge/officialCode.js';
import { browserGymCode, openBrowserGym } from './browsergym/benchmark.js';
import { mobileGymCode, openMobileGym } from './mobilegym/benchmark.js';
import { openOsworld, osworldCode } from './osworld/benchmark.js';

export const benchmarkNames = ['browsergym-miniwob', 'mobilegym', 'osworld'] as const;
export type BenchmarkName = (typeof benchmarkNames)[number];

export interface OpenOptions {
  /** Folder for files that the benchmark's own programs read. Default: none. */
  readonly results?: string | undefined;
  /** Names the agent in the results. */
  readonly player?: string | undefined;
  /** The most machines at a time. */
  readonly parallel?: number | undefined;
  /** A clone of MobileGym with its apps built. */
  readonly mobilegym?: string | undefined;
  /** A clone of OSWorld. */
  readonly osworld?: string | undefined;
  /** Whether official code may download what its tasks need. */
  readonly download?: boolean | undefined;
}

interface Entry {
  /** The beginning of its families' names. */
  readonly prefix: string;
  readonly code: () => OfficialCode;
  readonly open: (options: OpenOptions) => Promise<Benchmark>;
}

const table: Readonly<Record<BenchmarkName, Entry>> = {
  'browsergym-miniwob': { prefix: 'browsergym.', code: browserGymCode, open: openBrowserGym },
  mobilegym: {
    prefix: 'mobilegym.',
    code: mobileGymCode,
    open: async ({ mobilegym: directory, parallel }) => {
      if (directory !== undefined) return openMobileGym({ directory, parallel });
      throw new GyreError('bad_input', 'MobileGym has its apps and tasks in its repository', {
        field: '--mobilegym',
        fix: 'add --mobilegym with a clone of https://github.com/Purewhiter/mobilegym',
      });
    },
  },
  osworld: {
    prefix: 'osworld.',
    code: osworldCode,
    open: async ({ osworld: directory, ...options }) => {
      if (directory !== undefined) return openOsworld({ directory, ...options });
      throw new GyreError('bad_input', 'OSWorld has its tasks in its repository', {
        field: '--osworld',
        fix: 'add --osworld with a clone of https://github.com/xlang-ai/OSWorld',
      });
    },
  },
};

/** Returns the benchmark that a family, or a pattern of families, belongs to. */
export const benchmarkOfFamily = (pattern: string): BenchmarkName | undefined =>
  benchmarkNames.find((name) => pattern.startsWith(table[name].prefix));

/** Returns the official code of a benchmark, installed or not. */
export const benchmarkCode = (name: BenchmarkName): OfficialCode => table[name].code();

/** Opens a benchmark. Throws `missing` if its code is not installed, `bad_input` for options that do not fit. */
export const openBenchmark = (name: BenchmarkName, options: OpenOptions): Promise<Benchmark> =>
  table[name].open(options);
