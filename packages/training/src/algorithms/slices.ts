/**
 * Cuts a list into `round(n / size)` minibatches, at least one, of nearly equal size. Adam would take as large a step
 * on a small remainder as on a whole minibatch.
 */
export function minibatches<T>(items: readonly T[], size: number): T[][] {
  const count = items.length === 0 ? 0 : Math.max(1, Math.round(items.length / size));
  const edge = (slice: number): number => Math.floor((slice * items.length) / count);
  return Array.from({ length: count }, (_, slice) => items.slice(edge(slice), edge(slice + 1)));
}
