const maxNames = 3;

/** Suggests names close to `name`, nearest first. */
export function suggestNames(name: string, names: Iterable<string>): string[] {
  const written = name.toLowerCase();
  const allowed = Math.max(1, Math.floor(written.length / 3));
  return [...names]
    .map((known) => ({ known, away: distance(written, known.toLowerCase()) }))
    .filter(({ known, away }) => away <= allowed || (written.length >= 3 && known.toLowerCase().startsWith(written)))
    .sort((a, b) => a.away - b.away)
    .slice(0, maxNames)
    .map(({ known }) => known);
}

/** Returns the optimal string alignment distance. */
function distance(a: string, b: string): number {
  let [before, above]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const here = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      here[column] = Math.min(
        (here[column - 1] ?? 0) + 1,
        (above[column] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
        ...(swapped ? [(before[column - 2] ?? 0) + 1] : []),
      );
    }
    [before, above] = [above, here];
  }
  return above[b.length] ?? 0;
}
