/** Returns the median time in ms: over `ms` after two warm-ups, or of two long calls after one. */
export async function median(work: () => Promise<unknown>, ms: number): Promise<number> {
  const timed = async () => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  const isLong = (await timed()) >= ms;
  if (!isLong) await timed();
  const times: number[] = [];
  for (const end = performance.now() + ms; performance.now() < end || times.length < (isLong ? 2 : 3);) {
    times.push(await timed());
  }
  return times.sort((a, b) => a - b)[times.length >> 1]!;
}
