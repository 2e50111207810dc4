export type { Benchmark, LeftOutTasks } from './benchmark.js';
export {
  type BenchmarkName,
  type OfficialCodeName,
  officialCodeNames,
  benchmarkCode,
  benchmarkNames,
  benchmarkOfFamily,
  openBenchmark,
  type OpenOptions,
} from './benchmarks.js';
export { uvVersion } from './bridge/officialCode.js';
export { atifTrajectory } from './harbor/atif.js';
export { CommandEnvironment } from './harbor/commandEnvironment.js';
export { Harness } from './harbor/harness.js';
export { type OsworldProvider, osworldProviders } from './osworld/seat.js';
export { type GroundingDetail, detailOf, groundingReport } from './screenspot/report.js';
export { readGroundingSamples } from './screenspot/readSamples.js';
export type { GroundingSample, Pointing } from './screenspot/sample.js';
