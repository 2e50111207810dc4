import type { Lake } from '@gyre/lake';
import type { Episode } from '@gyre/protocol';
import { conditionOf, facetNames, instant, quoted } from './episodeCondition.js';
import type { EpisodePage, EpisodeQuery, EpisodeRow, Facets } from './wire.js';

const columns = [
  ...['episode_id', 'family', 'split', 'seed', 'instruction', 'policy', 'policy_version', 'purpose', 'started_at'],
  ...['state', 'success', 'score', 'turn_count', 'reward', 'fork_of', 'fork_turn', 'first_screenshot'],
].join(', ');

/** Returns a page of the episodes that have ended and match. */
export async function episodePage(
  lake: Lake,
  query: EpisodeQuery,
  /** Only these, where given. */
  ids?: readonly string[],
): Promise<EpisodePage> {
  const { sort, order, limit, offset } = query;
  const where = conditionOf(query, ids);
  const direction = order === 'ascending' ? 'ASC' : 'DESC';
  const sorted = `ORDER BY ${sort} ${direction} NULLS LAST, started_at DESC, episode_id`;
  // Fields of the record would be read for every episode: so the page's ids come first, then their fields.
  const chosen = (
    await lake.sql(
      `SELECT episode_id, started_at, count(*) OVER () FROM episodes${where} ${sorted} LIMIT ${limit} OFFSET ${offset}`,
    )
  ).rows;
  const [first] = chosen;
  const total = first ? Number(first[2]) : offset === 0 ? 0 : await countOf(lake, where);
  if (!first) return { total, rows: [] };
  const named = chosen.map(([id]) => quoted(String(id))).join(', ');
  // Files know their earliest and latest start, but no ids: so most are skipped. Answers have milliseconds, files more.
  const times = chosen.map(([, at]) => String(at)).sort();
  const within = `started_at >= ${instant(times[0]!)} AND started_at < ${instant(times.at(-1)!)} + INTERVAL 1 SECOND`;
  return { total, rows: await rowsOf(lake, ` WHERE episode_id IN (${named}) AND ${within} ${sorted}`) };
}

async function countOf(lake: Lake, where: string): Promise<number> {
  return Number((await lake.sql(`SELECT count(*) FROM episodes${where}`)).rows[0]?.[0] ?? 0);
}

/** Returns the episodes that continue another. */
export function forksOf(lake: Lake, id: string): Promise<EpisodeRow[]> {
  return rowsOf(lake, ` WHERE fork_of = ${quoted(id)} ORDER BY fork_turn, started_at, episode_id LIMIT 1000`);
}

const facetValues = 500;

export async function facetsOf(lake: Lake): Promise<Facets> {
  // One pass for all columns.
  const names = facetNames.map((name) => `coalesce(${name}::VARCHAR, 'none') AS ${name}`).join(', ');
  const sets = facetNames.map((name) => `(${name})`).join(', ');
  const { rows } = await lake.sql(
    `SELECT ${facetNames.join(', ')}, count(*) AS n FROM (SELECT ${names} FROM episodes) GROUP BY GROUPING SETS (${sets}) ORDER BY n DESC, ${facetNames.join(', ')}`,
  );
  const counts = (column: number) =>
    rows
      .filter((row) => row[column] !== null)
      .slice(0, facetValues)
      .map((row) => ({ value: String(row[column]), count: Number(row.at(-1)) }));
  return Object.fromEntries(facetNames.map((name, column) => [name, counts(column)])) as unknown as Facets;
}

/** Returns the row of an episode that is being played, or has just ended. */
export function rowOf(episode: Episode, state: EpisodeRow['state'] = episode.end.state): EpisodeRow {
  const { id, task, policy, purpose, startedAt, verdict, turns, fork, observation } = episode;
  const versions = turns.flatMap(({ sample }) => (sample ? [sample.policyVersion] : []));
  return {
    ...{ id, family: task.family, split: task.split, seed: task.seed, instruction: task.instruction },
    ...{ policy, policyVersion: versions.length > 0 ? Math.min(...versions) : null, purpose, startedAt, state },
    ...{ success: verdict?.success ?? null, score: verdict?.score ?? null, turns: turns.length },
    reward: turns.reduce((sum, turn) => sum + turn.reward, 0),
    ...{ forkOf: fork?.episode ?? null, forkTurn: fork?.turn ?? null, firstScreenshot: observation.screenshot },
  };
}

async function rowsOf(lake: Lake, rest: string): Promise<EpisodeRow[]> {
  const { rows } = await lake.sql(`SELECT ${columns} FROM episodes${rest}`);
  return rows.map((values): EpisodeRow => {
    const [id, family, split, seed, instruction, policy, policyVersion, purpose, startedAt, ...others] = values;
    const [state, success, score, turns, reward, forkOf, forkTurn, firstScreenshot] = others;
    return {
      ...{ id, family, split, seed, instruction, policy, policyVersion, purpose, startedAt },
      ...{ state, success, score, turns, reward, forkOf, forkTurn, firstScreenshot },
    } as EpisodeRow;
  });
}
