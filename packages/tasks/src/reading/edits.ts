/** A character and what was read in its place; one of both is empty where a character was lost or added. */
export interface Edit {
  readonly truth: string;
  readonly read: string;
}

/** Aligns two texts with the fewest lost, added and replaced characters (Levenshtein 1966). */
export function alignment(truth: readonly string[], read: readonly string[]): Edit[] {
  const costs = [Array.from({ length: read.length + 1 }, (_, j) => j)];
  for (const [i, character] of truth.entries()) {
    const above = costs[i]!;
    const row = [i + 1];
    for (const [j, candidate] of read.entries())
      row.push(Math.min(above[j]! + (character === candidate ? 0 : 1), above[j + 1]! + 1, row[j]! + 1));
    costs.push(row);
  }
  const edits: Edit[] = [];
  let [i, j] = [truth.length, read.length];
  while (i > 0 || j > 0) {
    const cost = costs[i]![j]!;
    const [character, candidate] = [truth[i - 1] ?? '', read[j - 1] ?? ''];
    if (i > 0 && j > 0 && cost === costs[i - 1]![j - 1]! + (character === candidate ? 0 : 1)) {
      edits.push({ truth: character, read: candidate });
      i--;
      j--;
    } else if (i > 0 && cost === costs[i - 1]![j]! + 1) edits.push({ truth: truth[--i]!, read: '' });
    else edits.push({ truth: '', read: read[--j]! });
  }
  return edits.reverse();
}
