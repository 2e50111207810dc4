import type { Lake } from '@gyre/lake';
import type { Episode } from '@gyre/protocol';
import { type EpisodePage, type EpisodeQuery, type EpisodeRow, facetNames, type Facets } from './wire.js';

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
  const [count] = (await lake.sql(`SELECT count(*) FROM episodes${where}`)).rows;
  const direction = order === 'ascending' ? 'ASC' : 'DESC';
  const rows = await rowsOf(
    lake,
    `${where} ORDER BY ${sort} ${direction} NULLS LAST, started_at DESC, episode_id LIMIT ${limit} OFFSET ${offset}`,
  );
  return { total: Number(count?.[0] ?? 0), rows };
}

/** Returns the episodes that continue another. */
export function forksOf(lake: Lake, id: string): Promise<EpisodeRow[]> {
  return rowsOf(lake, ` WHERE fork_of = ${quoted(id)} ORDER BY fork_turn, started_at, episode_id LIMIT 1000`);
}

export async function facetsOf(lake: Lake): Promise<Facets> {
  const counts = async (name: string): Promise<{ value: string; count: number }[]> => {
    const statement = `SELECT coalesce(${name}::VARCHAR, 'none') AS value, count(*) AS n FROM episodes GROUP BY value ORDER BY n DESC, value LIMIT 500`;
    return (await lake.sql(statement)).rows.map(([value, count]) => ({ value: String(value), count: Number(count) }));
  };
  const entries: [string, { value: string; count: number }[]][] = [];
  for (const name of facetNames) entries.push([name, await counts(name)]);
  return Object.fromEntries(entries) as unknown as Facets;
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

function conditionOf(query: EpisodeQuery, ids: readonly string[] | undefined): string {
  const chosen = facetNames.flatMap((name) => {
    const values = query[name];
    return values && values.length > 0
      ? [`coalesce(${name}::VARCHAR, 'none') IN (${values.map(quoted).join(', ')})`]
      : [];
  });
  const text = query.text?.trim() ? [`contains(lower(instruction), lower(${quoted(query.text.trim())}))`] : [];
  const bounds = [
    query.from === undefined ? [] : `started_at >= ${instant(query.from)}`,
    query.to === undefined ? [] : `started_at < ${instant(query.to)}`,
  ].flat();
  const among = ids ? [ids.length === 0 ? 'false' : `episode_id IN (${ids.map(quoted).join(', ')})`] : [];
  const conditions = [...chosen, ...text, ...bounds, ...among];
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
/** The lake's times are UTC without a zone. */
const instant = (iso: string): string => `TIMESTAMP ${quoted(iso.replace('T', ' ').replace('Z', ''))}`;
