/**
 * Median time of `work` in ms: over a slice of time after two calls that are not counted; over two calls after one if a call alone
 * takes as long as the slice.
 */
export async function median(work: () => Promise<unknown>, ms: number): Promise<number> {
  const timed = async () => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  // The first call reserves memory, and compiles shaders.
  const isLong = (await timed()) >= ms;
  if (!isLong) await timed();
  const times: number[] = [];
  for (const end = performance.now() + ms; performance.now() < end || times.length < (isLong ? 2 : 3);) {
    times.push(await timed());
  }
  return times.sort((a, b) => a - b)[times.length >> 1]!;
}
