/**
 * Cuts a list into slices of as near to `size` items as equal ones can be: `round(n / size)` of them, at least one, whose lengths differ by no
 * more than one. Slices of exactly `size` leave a remainder at the end, and an optimiser such as Adam makes as large a step of the one
 * decision in it as of all in any other.
 *
 * @param size above 0
 * @returns no slice of no items
 */
export function slices<T>(items: readonly T[], size: number): T[][] {
  const count = items.length === 0 ? 0 : Math.max(1, Math.round(items.length / size));
  const edge = (slice: number): number => Math.floor((slice * items.length) / count);
  return Array.from({ length: count }, (_, slice) => items.slice(edge(slice), edge(slice + 1)));
}
