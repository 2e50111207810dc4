import type { Lake } from '@gyre/lake';
import { instant, rollouts } from '../server/episodeCondition.js';
import type { DifficultyRow } from '../server/trainingWire.js';
import { boundsOf, stretchesOf } from './stretches.js';
import type { UpdatePoint } from './updateLine.js';

/** Counts the rollouts of each stretch of updates by family and difficulty, where tasks have one. */
export async function difficultiesOf(lake: Lake, updates: readonly UpdatePoint[]): Promise<DifficultyRow[]> {
  const stretches = stretchesOf(updates);
  if (stretches.length === 0) return [];
  const ends = stretches.map((stretch) => instant(boundsOf(updates, stretch).to));
  const cases = ends.map((end, i) => `WHEN started_at < ${end} THEN ${i}`).join(' ');
  const { rows } = await lake.sql(
    `SELECT family, difficulty, stretch, count(*), count(*) FILTER (success) FROM (
       SELECT family, difficulty, success, CASE ${cases} END AS stretch FROM episodes
       WHERE purpose = '${rollouts}' AND success IS NOT NULL AND started_at < ${ends.at(-1)!})
     WHERE difficulty IS NOT NULL GROUP BY ALL ORDER BY ALL`,
  );
  const byName = new Map<string, DifficultyRow>();
  for (const [family, difficulty, stretch, played, solved] of rows) {
    const name = `${String(family)} ${Number(difficulty)}`;
    const row = byName.get(name) ?? {
      ...{ family: String(family), difficulty: Number(difficulty) },
      cells: stretches.map(() => ({ played: 0, solved: 0 })),
    };
    row.cells[Number(stretch)] = { played: Number(played), solved: Number(solved) };
    byName.set(name, row);
  }
  return [...byName.values()];
}
