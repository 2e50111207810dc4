/** FUZZ_RUNS raises the number of runs. */
export const fuzz = (usual: number): { numRuns: number } => ({
  numRuns: Math.max(usual, Number(process.env.FUZZ_RUNS ?? 0)),
});
