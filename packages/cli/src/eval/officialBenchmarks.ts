import { availableParallelism } from 'node:os';
import {
  type Benchmark,
  type BenchmarkName,
  benchmarkNames,
  benchmarkOfFamily,
  openBenchmark,
  type OsworldProvider,
} from '@gyre/benchmarks';
import { addSuite, type JudgeOptions } from '@gyre/tasks';
import { type RolloutResult, wilson } from '@gyre/training';
import { UsageError } from '../command.js';
import { leftOutLines } from './evalTable.js';
import { openJudge } from './judge.js';

export interface BenchmarkFlags {
  readonly suite?: readonly string[] | undefined;
  readonly family?: readonly string[] | undefined;
  readonly results?: string | undefined;
  readonly mobilegym?: string | undefined;
  readonly osworld?: string | undefined;
  readonly provider?: OsworldProvider | undefined;
  readonly vm?: string | undefined;
  readonly region?: string | undefined;
  readonly windowsagentarena?: string | undefined;
  readonly machines?: string[] | undefined;
  readonly restart?: string | undefined;
  readonly androidworld?: string | undefined;
  readonly phones?: string[] | undefined;
  readonly lmgame?: string | undefined;
  readonly lmgameText: boolean;
  readonly browsecomp?: string | undefined;
  readonly simpleEvals?: string | undefined;
  readonly mind2web?: string | undefined;
  readonly onlineMind2web?: string | undefined;
  readonly swebench?: string | undefined;
  readonly roots?: string | undefined;
  readonly webarena?: string | undefined;
  readonly cube?: string | undefined;
  readonly judge: string;
  readonly judgeName?: string | undefined;
  readonly download: boolean;
  readonly sessions: number;
  readonly policy: string;
  readonly model?: string | undefined;
  readonly modelName?: string | undefined;
}

const isBenchmark = (name: string): name is BenchmarkName => (benchmarkNames as readonly string[]).includes(name);

/** Opens the official benchmarks that `--suite` and `--family` name, and makes their tasks known as suites. */
export async function openBenchmarks(flags: BenchmarkFlags): Promise<Benchmark[]> {
  const { results, sessions, download } = flags;
  const { mobilegym, osworld, lmgame, lmgameText, browsecomp, simpleEvals, mind2web, onlineMind2web } = flags;
  const {
    swebench,
    roots,
    webarena,
    androidworld,
    phones,
    provider,
    vm,
    region,
    windowsagentarena,
    machines,
    restart,
    cube,
  } = flags;
  const sources = {
    ...{ mobilegym, osworld, lmgame, lmgameText, browsecomp, simpleEvals, mind2web, onlineMind2web, swebench, roots },
    ...{ webarena, androidworld, phones, provider, vm, region, windowsagentarena, machines, restart, cube },
  };
  const names = chosenBenchmarks(flags);
  for (const [flag, benchmark, value] of [
    ['--mobilegym', 'mobilegym', mobilegym],
    ['--osworld', 'osworld', osworld],
    ['--provider', 'osworld', provider],
    ['--vm', 'osworld', vm],
    ['--region', 'osworld', region],
    ['--windowsagentarena', 'windowsagentarena', windowsagentarena],
    ['--machines', 'windowsagentarena', machines],
    ['--restart', 'windowsagentarena', restart],
    ['--androidworld', 'androidworld', androidworld],
    ['--phones', 'androidworld', phones],
    ['--lmgame', 'lmgame', lmgame],
    ['--lmgame-text', 'lmgame', lmgameText || undefined],
    ['--browsecomp', 'browsecomp', browsecomp],
    ['--simple-evals', 'browsecomp', simpleEvals],
    ['--mind2web', 'online-mind2web', mind2web],
    ['--online-mind2web', 'online-mind2web', onlineMind2web],
    ['--swebench', 'swebench', swebench],
    ['--roots', 'swebench', roots],
    ['--webarena', 'webarena-verified', webarena],
    ['--cube', 'cube', cube],
  ] as const) {
    if (value === undefined || names.includes(benchmark)) continue;
    throw new UsageError(`${flag} is for --suite ${benchmark}`, { field: flag, fix: `add --suite ${benchmark}` });
  }
  if (results !== undefined && names.length !== 1) {
    throw new UsageError('--results is for one official benchmark', {
      field: '--results',
      fix: `name one of ${benchmarkNames.join(', ')} in --suite`,
    });
  }
  const benchmarks: Benchmark[] = [];
  try {
    for (const name of names) {
      const parallel = Math.min(sessions, availableParallelism());
      const benchmark = await openBenchmark(name, {
        ...sources,
        ...{ results, parallel, download, player: playerOf(flags), judge: await judgeOf(name, flags) },
      });
      benchmarks.push(benchmark);
      addSuite(name, benchmark.suite);
    }
    return benchmarks;
  } catch (error) {
    await closeBenchmarks(benchmarks);
    throw error;
  }
}

/** Returns the official benchmarks that `--suite` and `--family` name. */
export function chosenBenchmarks({
  suite = [],
  family = [],
}: Pick<BenchmarkFlags, 'suite' | 'family'>): BenchmarkName[] {
  return [...new Set([...suite.filter(isBenchmark), ...family.flatMap((name) => benchmarkOfFamily(name) ?? [])])];
}

/** The model that a benchmark's authors judge by, if it has one; null for the first that the server lists. */
const judges: Partial<Record<BenchmarkName, string | null>> = { browsecomp: null, 'online-mind2web': 'o4-mini' };

/** Whether a model judges a benchmark's every episode. */
export const isJudged = (name: BenchmarkName): boolean => name in judges;

/** Returns undefined if none judges, or no server is named. */
async function judgeOf(name: BenchmarkName, { judge, judgeName }: BenchmarkFlags): Promise<JudgeOptions | undefined> {
  if (!isJudged(name) || judge === 'confidence') return undefined;
  return openJudge(judge, judgeName ?? judges[name] ?? undefined);
}

/** Names the agent in files of results. */
function playerOf({ policy, model, modelName }: BenchmarkFlags): string {
  return modelName ?? model?.replace(/^https?:\/\//, '') ?? policy;
}

export async function closeBenchmarks(benchmarks: readonly Benchmark[]): Promise<void> {
  await Promise.allSettled(benchmarks.map((benchmark) => benchmark.close()));
}

export interface BenchmarkResult {
  benchmark: string;
  /** The machine, if it is not the official one. */
  on?: string;
  revision: string;
  /** Played tasks, those that were given up included. */
  n: number;
  total: number;
  /** Mean over tasks. Given up ones count 0. */
  score: number;
  success: number;
  low: number;
  high: number;
  /** Without a verdict: named by eval, and not counted by most official scripts. */
  givenUp: number;
  leftOut: { tasks: string[]; reason: string }[];
  /** Counted as the benchmark's own programs do. */
  notes: string[];
}

/** Sums the families of a benchmark up: over tasks, as official scores are, not over families. */
export function benchmarkResult(benchmark: Benchmark, results: readonly RolloutResult[]): BenchmarkResult {
  const ofIt = results.filter(({ family }) => Object.hasOwn(benchmark.suite, family));
  const sum = (of: (result: RolloutResult) => number) => ofIt.reduce((total, result) => total + of(result), 0);
  const n = sum((result) => result.n);
  return {
    benchmark: benchmark.name,
    ...(benchmark.place !== undefined && { on: benchmark.place }),
    revision: benchmark.revision,
    ...{ n, total: benchmark.total },
    score: n === 0 ? 0 : sum((result) => result.n * result.score) / n,
    ...wilson(
      sum((result) => Math.round(result.n * result.success)),
      n,
    ),
    givenUp: sum((result) => result.givenUp),
    leftOut: benchmark.leftOut.map(({ tasks, reason }) => ({ tasks: [...tasks], reason })),
    notes: [...(benchmark.notes?.() ?? [])],
  };
}

export function benchmarkLines(result: BenchmarkResult): string[] {
  const { benchmark, on, revision, n, total, score, success, low, high, givenUp, leftOut, notes } = result;
  const percent = (value: number) => (100 * value).toFixed(1);
  return [
    `${benchmark}${on === undefined ? '' : ` on ${on}`}: score ${score.toFixed(3)}, ` +
      `success ${percent(success)} % [${percent(low)}, ${percent(high)}] in ${n} of ${total} tasks` +
      `${givenUp === 0 ? '' : `, ${givenUp} of them given up`} (${revision})`,
    ...notes,
    ...leftOutLines(
      leftOut.map(({ tasks, reason }) => ({ families: tasks, reason: `${tasks.length} tasks, ${reason}` })),
    ),
  ];
}
