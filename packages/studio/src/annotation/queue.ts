import type { Lake } from '@gyre/lake';
import { GyreError } from '@gyre/protocol';
import { type AnyFamily, familyOf } from '@gyre/tasks';
import { defaultFamilies } from '@gyre/training';
import type { Claims } from './claims.js';
import type { TaskLog, TaskState } from './taskLog.js';

/** Newest attempts that count, and open tasks that are offered, per family. */
const attempts = 50;
const offered = 10;
/** Seeds of new tasks, apart from those that training plays. */
const firstSeed = 60_000;
/** A family that the policy solves this often in this many attempts is no longer offered. */
const solved = { rate: 0.95, attempts: 20 };

export interface Tally {
  readonly count: number;
  readonly total: number;
}

export interface QueuedFamily {
  readonly family: string;
  /** Solved by the policy, of its newest attempts. */
  readonly success: Tally;
  /** Turns in which the policy's samples disagreed, of those that people annotated. */
  readonly disagreement: Tally;
  /** Higher comes first. */
  readonly priority: number;
  readonly retired: boolean;
}

export interface QueuedTask {
  readonly task: string;
  readonly family: string;
  readonly state: TaskState;
  readonly by?: string;
  readonly episode?: string;
  readonly until?: string;
  readonly reason?: string;
}

export interface Queue {
  readonly families: readonly QueuedFamily[];
  /** Free ones in the order in which they are handed out, then those in work. */
  readonly tasks: readonly QueuedTask[];
}

export interface QueueTerms {
  readonly lake: Lake;
  readonly log: TaskLog;
  readonly claims: Claims;
  /** Default: those of the lake's episodes, or those that gyre trains on. */
  readonly families?: readonly string[] | undefined;
}

/** Orders tasks by where people's turns teach most: the policy solves about half of them, and is unsure what to do. */
export async function queueOf({ lake, log, claims, families: named }: QueueTerms): Promise<Queue> {
  for (const name of named ?? []) expectAnnotatable(name);
  const logged = await log.tasks();
  const names = named ?? (await familiesIn(lake));
  const [success, disagreement] = await Promise.all([tallies(lake, successSql), tallies(lake, disagreementSql)]);
  const none: Tally = { count: 0, total: 0 };
  const families = names
    .map((family) => familyEntry(family, success.get(family) ?? none, disagreement.get(family) ?? none))
    .map((entry) => (named ? { ...entry, retired: false } : entry))
    .sort((a, b) => b.priority - a.priority || a.family.localeCompare(b.family));
  const failed = await failedTasks(lake);
  const free = families
    .filter(({ retired }) => !retired)
    .flatMap(({ family }) => freeTasks(family, failed.get(family) ?? [], (task) => claims.isFree(logged.get(task))))
    .map((task): QueuedTask => {
      const last = logged.get(task);
      const { reason } = last?.entry ?? {};
      const state = claims.stateOf(last);
      return { task, family: familyName(task), state, ...(reason !== undefined && { reason }) };
    });
  const working = [...logged].flatMap(([task, last]): QueuedTask[] => {
    if (claims.isFree(last)) return [];
    const { by, episode, until, reason } = last.entry;
    const row = { task, family: familyName(task), state: last.entry.state, by, episode };
    return [{ ...row, ...(until !== undefined && { until }), ...(reason !== undefined && { reason }) }];
  });
  const returned = free.filter(({ state }) => state === 'returned');
  const others = free.filter(({ state }) => state !== 'returned');
  return { families, tasks: [...returned, ...others, ...working.reverse()] };
}

/** @throws GyreError `bad_input` for a family whose screens cannot be repeated bit by bit */
export function expectAnnotatable(name: string): void {
  const family = familyOf(name);
  if (isAnnotatable(family)) return;
  throw new GyreError('bad_input', `tasks of ${name} cannot be annotated: their screens do not come back bit by bit`, {
    field: 'families',
    fix: 'choose a family of pages: `gyre tasks` lists them',
  });
}

const isAnnotatable = (family: AnyFamily): boolean =>
  family.kind === undefined && family.open === undefined && family.heldOut !== true;

const familyName = (task: string): string => task.split('/')[0] ?? task;

function familyEntry(family: string, success: Tally, disagreement: Tally): QueuedFamily {
  // 4p(1 - p) of the rate with one success and one failure added: 1 without attempts.
  const weakness = (4 * (success.count + 1) * (success.total - success.count + 1)) / (success.total + 2) ** 2;
  const unsure = disagreement.total === 0 ? 0 : disagreement.count / disagreement.total;
  const retired = success.total >= solved.attempts && success.count / success.total >= solved.rate;
  return { family, success, disagreement, priority: weakness + unsure, retired };
}

function freeTasks(family: string, failed: readonly string[], isFree: (task: string) => boolean): string[] {
  const { seeds } = familyOf(family);
  const fresh = seeds ?? Array.from({ length: 10_000 }, (_, index) => firstSeed + index);
  const free: string[] = [];
  for (const task of [...failed, ...fresh.map((seed) => `${family}/train/${seed}`)]) {
    if (free.length === offered) break;
    if (isFree(task) && !free.includes(task)) free.push(task);
  }
  return free;
}

async function familiesIn(lake: Lake): Promise<string[]> {
  const { rows } = await lake.sql('SELECT DISTINCT family FROM episodes ORDER BY family');
  const known = rows.map(([family]) => String(family)).filter(isKnown);
  return known.length > 0 ? known : defaultFamilies.fromWeights.filter(isKnown);
}

function isKnown(name: string): boolean {
  try {
    return isAnnotatable(familyOf(name));
  } catch (error) {
    if (error instanceof GyreError) return false;
    throw error;
  }
}

/** Attempts of policies that learn, not of scripts or people. */
const attempted = `SELECT * FROM episodes WHERE success IS NOT NULL AND fork_of IS NULL AND policy NOT IN ('oracle', 'random')
  AND purpose NOT IN ('demonstration', 'annotation', 'imported') AND policy NOT LIKE 'human:%'`;

const successSql = `SELECT family, count(*) FILTER (success), count(*) FROM
  (SELECT *, row_number() OVER (PARTITION BY family ORDER BY started_at DESC) AS age FROM (${attempted}))
  WHERE age <= ${attempts} GROUP BY family`;

const disagreementSql = `SELECT family, count(*) FILTER (json_array_length(candidates) > 1), count(*) FROM turns
  WHERE purpose = 'annotation' AND candidates IS NOT NULL GROUP BY family`;

async function tallies(lake: Lake, sql: string): Promise<Map<string, Tally>> {
  const { rows } = await lake.sql(sql);
  return new Map(
    rows.map(([family, count, total]) => [String(family), { count: Number(count), total: Number(total) }]),
  );
}

/** Training tasks whose newest attempts failed in part, the nearest to one half first. */
async function failedTasks(lake: Lake): Promise<Map<string, string[]>> {
  const { rows } = await lake.sql(
    `SELECT family, task_id FROM (${attempted}) WHERE split = 'train' GROUP BY ALL HAVING count(*) FILTER (NOT success) > 0
      ORDER BY abs(avg(success::INT) - 0.5), task_id LIMIT 1000`,
  );
  const tasks = new Map<string, string[]>();
  for (const [family, task] of rows) tasks.set(String(family), [...(tasks.get(String(family)) ?? []), String(task)]);
  return tasks;
}
