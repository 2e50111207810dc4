import { GyreError } from '@gyre/protocol';
import type { JudgeOptions } from '@gyre/tasks';
import type { Benchmark } from './benchmark.js';
import type { OfficialCode } from './bridge/officialCode.js';
import { browseCompCode, openBrowseComp } from './browsecomp/benchmark.js';
import { browserGymCode, openBrowserGym } from './browsergym/benchmark.js';
import { lmgameCode, openLmgame } from './lmgame/benchmark.js';
import { openOsworld, osworldCode } from './osworld/benchmark.js';

export const benchmarkNames = ['browsergym-miniwob', 'osworld', 'lmgame', 'browsecomp'] as const;
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
  /** A clone of GamingAgent. */
  readonly lmgame?: string | undefined;
  /** Shows the text of LMGame-Bench's games in addition to the picture. */
  readonly lmgameText?: boolean | undefined;
  /** The official file of BrowseComp's or BrowseComp-ZH's questions. */
  readonly browsecomp?: string | undefined;
  /** A clone of simple-evals, for BrowseComp's English questions. */
  readonly simpleEvals?: string | undefined;
  /** Grades answers, in benchmarks that are graded by a model. */
  readonly judge?: JudgeOptions | undefined;
  /** Whether official code may download what its tasks need. */
  readonly download?: boolean | undefined;
}

interface Entry {
  /** The beginning of its families' names. */
  readonly prefix: string;
  readonly code: () => OfficialCode;
  readonly open: (options: OpenOptions) => Promise<Benchmark>;
}

const clones = {
  osworld: { holds: 'OSWorld has its tasks in its repository', url: 'https://github.com/xlang-ai/OSWorld' },
  lmgame: { holds: 'LMGame-Bench has its games in its repository', url: 'https://github.com/lmgame-org/GamingAgent' },
  'simple-evals': {
    holds: "the grader's prompt for BrowseComp's English questions is in simple-evals",
    url: 'https://github.com/openai/simple-evals',
  },
} as const;

function clone(name: keyof typeof clones, directory: string | undefined): string {
  if (directory !== undefined) return directory;
  const { holds, url } = clones[name];
  throw new GyreError('bad_input', holds, { field: `--${name}`, fix: `add --${name} with a clone of ${url}` });
}

const table: Readonly<Record<BenchmarkName, Entry>> = {
  'browsergym-miniwob': { prefix: 'browsergym.', code: browserGymCode, open: openBrowserGym },
  osworld: {
    prefix: 'osworld.',
    code: osworldCode,
    open: async ({ osworld, ...options }) => openOsworld({ directory: clone('osworld', osworld), ...options }),
  },
  lmgame: {
    prefix: 'lmgame.',
    code: lmgameCode,
    open: async ({ lmgame, lmgameText: text, ...options }) =>
      openLmgame({ directory: clone('lmgame', lmgame), text, ...options }),
  },
  browsecomp: {
    prefix: 'browsecomp.',
    code: browseCompCode,
    open: async ({ browsecomp: file, simpleEvals, judge, ...options }) => {
      if (file === undefined) {
        throw new GyreError('bad_input', 'the questions of BrowseComp are in its official file', {
          field: '--browsecomp',
          fix: 'add --browsecomp with the official .csv, or with data/browsecomp-zh-encrypted.xlsx in a clone of BrowseComp-ZH',
        });
      }
      const grader = file.endsWith('.csv') ? clone('simple-evals', simpleEvals) : undefined;
      if (judge) return openBrowseComp({ file, simpleEvals: grader, judge, ...options });
      throw new GyreError('bad_input', 'a model grades the answers of BrowseComp', {
        field: '--judge',
        fix: 'add --judge with the URL of an OpenAI-compatible server',
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
