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
export { type GroundingDetail, detailOf, groundingReport } from './screenspot/report.js';
export { readGroundingSamples } from './screenspot/readSamples.js';
export type { GroundingSample, Pointing } from './screenspot/sample.js';
