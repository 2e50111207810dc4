/**
 * Cuts a list into `max(1, round(n / size))` nearly equal minibatches, since Adam steps as far on a small remainder.
 */
export function minibatches<T>(items: readonly T[], size: number): T[][] {
  const count = items.length === 0 ? 0 : Math.max(1, Math.round(items.length / size));
  const edge = (slice: number): number => Math.floor((slice * items.length) / count);
  return Array.from({ length: count }, (_, slice) => items.slice(edge(slice), edge(slice + 1)));
}
