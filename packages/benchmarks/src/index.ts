export type { Benchmark, LeftOutTasks } from './benchmark.js';
export {
  type BenchmarkName,
  benchmarkCode,
  benchmarkNames,
  benchmarkOfFamily,
  openBenchmark,
  type OpenOptions,
} from './benchmarks.js';
export { uvVersion } from './bridge/officialCode.js';
