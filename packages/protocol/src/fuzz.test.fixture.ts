/** FUZZ_RUNS raises the number of runs. */
export const fuzz = (defaultRuns: number): { numRuns: number } => ({
  numRuns: Math.max(defaultRuns, Number(process.env.FUZZ_RUNS ?? 0)),
});
