/** How often a property is tried: as usual, or as often as FUZZ_RUNS says where that is more. */
export const fuzz = (usual: number): { numRuns: number } => ({
  numRuns: Math.max(usual, Number(process.env.FUZZ_RUNS ?? 0)),
});
