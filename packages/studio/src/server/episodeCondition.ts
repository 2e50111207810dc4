import type { EpisodeQuery } from './wire.js';

/** Purpose of the rollouts that training learns from. */
export const rollouts = 'ppo';

export const facetNames = ['family', 'split', 'purpose', 'policy', 'state', 'success'] as const;

/** Returns the WHERE clause of a filter, or nothing. */
export function conditionOf(query: Partial<EpisodeQuery>, ids?: readonly string[]): string {
  const chosen = facetNames.flatMap((name) => {
    const values = query[name];
    return values && values.length > 0
      ? [`coalesce(${name}::VARCHAR, 'none') IN (${values.map(quoted).join(', ')})`]
      : [];
  });
  const text = query.text?.trim() ? [mentions(quoted(query.text.trim()))] : [];
  const bounds = [
    query.from === undefined ? [] : `started_at >= ${instant(query.from)}`,
    query.to === undefined ? [] : `started_at < ${instant(query.to)}`,
  ].flat();
  const level = query.difficulty === undefined ? [] : [`difficulty = ${query.difficulty}`];
  const among = ids ? [ids.length === 0 ? 'false' : `episode_id IN (${ids.map(quoted).join(', ')})`] : [];
  const conditions = [...chosen, ...text, ...bounds, ...level, ...among];
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
}

/** Within the instruction, or at the beginning of an id. */
const mentions = (text: string): string =>
  `(contains(lower(instruction), lower(${text})) OR starts_with(episode_id, ${text}) OR starts_with(task_id, ${text}))`;

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
/** The lake's times are UTC without a zone. */
export const instant = (iso: string): string => `TIMESTAMP ${quoted(iso.replace('T', ' ').replace('Z', ''))}`;
