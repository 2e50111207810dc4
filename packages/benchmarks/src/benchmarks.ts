import { GyreError } from '@gyre/protocol';
import type { Benchmark } from './benchmark.js';
import type { OfficialCode } from './bridge/officialCode.js';
import { browserGymCode, openBrowserGym } from './browsergym/benchmark.js';
import { mind2webCode, openMind2web } from './mind2web/benchmark.js';
import type { JudgeModel } from './mind2web/webJudge.js';
import { openOsworld, osworldCode } from './osworld/benchmark.js';

export const benchmarkNames = ['browsergym-miniwob', 'osworld', 'online-mind2web'] as const;
export type BenchmarkName = (typeof benchmarkNames)[number];

export interface OpenOptions {
  /** Folder for files that the benchmark's own programs read. Default: none. */
  readonly results?: string | undefined;
  /** Names the agent in the results. */
  readonly player?: string | undefined;
  /** The most machines at a time. */
  readonly parallel?: number | undefined;
  /** A clone of OSWorld. */
  readonly osworld?: string | undefined;
  /** The task list of Online-Mind2Web. */
  readonly mind2web?: string | undefined;
  /** A clone of Online-Mind2Web. */
  readonly onlineMind2web?: string | undefined;
  /** The model of a benchmark's own judge. */
  readonly judge?: JudgeModel | undefined;
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
  osworld: {
    prefix: 'osworld.',
    code: osworldCode,
    open: async ({ osworld: directory, ...options }) => {
      if (directory !== undefined) return openOsworld({ directory, ...options });
      throw lacks('OSWorld', 'its repository', '--osworld', 'a clone of https://github.com/xlang-ai/OSWorld');
    },
  },
  'online-mind2web': {
    prefix: 'mind2web.',
    code: mind2webCode,
    open: async ({ mind2web: tasks, onlineMind2web: clone, judge, ...options }) => {
      const name = 'Online-Mind2Web';
      if (tasks === undefined) throw lacks(name, 'its task list', '--mind2web', 'the JSON file of its data set');
      if (clone === undefined) {
        const fix = 'a clone of https://github.com/OSU-NLP-Group/Online-Mind2Web';
        throw lacks(name, 'the repository of its judge', '--online-mind2web', fix);
      }
      if (judge === undefined)
        throw lacks(name, 'a model that judges', '--judge', 'the URL of an OpenAI-compatible server');
      return openMind2web({ tasks, clone, judge, ...options });
    },
  },
};

const lacks = (name: string, part: string, field: string, fix: string) =>
  new GyreError('bad_input', `${name} needs ${part}`, { field, fix: `add ${field} with ${fix}` });

/** Returns the benchmark that a family, or a pattern of families, belongs to. */
export const benchmarkOfFamily = (pattern: string): BenchmarkName | undefined =>
  benchmarkNames.find((name) => pattern.startsWith(table[name].prefix));

/** Returns the official code of a benchmark, installed or not. */
export const benchmarkCode = (name: BenchmarkName): OfficialCode => table[name].code();

/** Opens a benchmark. Throws `missing` if its code is not installed, `bad_input` for options that do not fit. */
export const openBenchmark = (name: BenchmarkName, options: OpenOptions): Promise<Benchmark> =>
  table[name].open(options);
