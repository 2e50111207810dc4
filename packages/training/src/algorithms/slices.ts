/**
 * Cuts a list into `round(n / size)` slices, at least one, whose lengths differ by at most one. Slices of exactly `size` would leave a
 * remainder, and Adam takes as large a step on one leftover decision as on a whole minibatch.
 *
 * @param size above 0
 * @returns no slices for no items
 */
export function minibatches<T>(items: readonly T[], size: number): T[][] {
  const count = items.length === 0 ? 0 : Math.max(1, Math.round(items.length / size));
  const edge = (slice: number): number => Math.floor((slice * items.length) / count);
  return Array.from({ length: count }, (_, slice) => items.slice(edge(slice), edge(slice + 1)));
}
