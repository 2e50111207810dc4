import type { Lake } from '@gyre/lake';
import { type EpisodeEnd, Split } from '@gyre/protocol';
import { z } from 'zod';

/** An attempt at a task, as the lake has it. */
export interface RecordedAttempt {
  readonly episode: string;
  readonly task: string;
  readonly family: string;
  readonly split: Split;
  /** The task's. */
  readonly seed: number;
  /** Instruction and screen: a generator may have changed since. */
  readonly content: string;
  readonly stepBudget: number;
  readonly policy: string;
  /** The sampling seed. */
  readonly policySeed: number;
  readonly purpose: string;
  readonly state: EpisodeEnd['state'];
  /** Undefined without an independent verdict. */
  readonly success: boolean | undefined;
  readonly turns: number;
}

const AttemptRow = z
  .strictObject({
    episode_id: z.string(),
    task_id: z.string(),
    family: z.string(),
    split: Split,
    seed: z.int(),
    instruction: z.string(),
    width: z.int(),
    height: z.int(),
    step_budget: z.int(),
    policy: z.string(),
    policy_seed: z.int(),
    purpose: z.string(),
    state: z.string(),
    success: z.boolean().nullable(),
    turn_count: z.int(),
  })
  .transform(
    ({
      episode_id,
      task_id,
      width,
      height,
      instruction,
      step_budget,
      policy_seed,
      turn_count,
      success,
      state,
      ...row
    }): RecordedAttempt => ({
      ...row,
      ...{ episode: episode_id, task: task_id, stepBudget: step_budget, policySeed: policy_seed, turns: turn_count },
      content: `${width}x${height} ${instruction}`,
      state: state as EpisodeEnd['state'],
      success: success ?? undefined,
    }),
  );

const columns = Object.keys(AttemptRow.in.shape);

const isEvaluation = "(purpose = 'eval' OR starts_with(purpose, 'eval '))";

/**
 * Reads the attempts of evaluations, or of one purpose, in the order of sampling seed and start.
 * @throws GyreError `missing` without DuckDB
 */
export async function recordedAttempts(lake: Lake, purpose?: string): Promise<RecordedAttempt[]> {
  return attemptsWhere(lake, purpose === undefined ? isEvaluation : `purpose = '${purpose.replaceAll("'", "''")}'`);
}

/** Reads the attempts of evaluations, and those of people who played from the beginning, in the same order. */
export function comparableAttempts(lake: Lake): Promise<RecordedAttempt[]> {
  return attemptsWhere(lake, `${isEvaluation} OR (starts_with(policy, '${humanPolicy}') AND fork_of IS NULL)`);
}

/** Begins the names of policies that are people. */
export const humanPolicy = 'human:';

async function attemptsWhere(lake: Lake, condition: string): Promise<RecordedAttempt[]> {
  const { rows } = await lake.sql(
    `SELECT ${columns.join(', ')} FROM episodes WHERE ${condition} ORDER BY policy_seed, started_at, episode_id`,
  );
  return rows.map((row) => AttemptRow.parse(Object.fromEntries(columns.map((name, i) => [name, row[i]]))));
}

/** Tasks by family that a run has trained on, or may have. */
export type TrainedTasks = ReadonlyMap<string, ReadonlySet<string>>;

/** Reads the tasks of the train split that were played for anything but an evaluation. */
export async function trainedTasks(lake: Lake): Promise<TrainedTasks> {
  const { rows } = await lake.sql(
    `SELECT DISTINCT family, task_id FROM episodes WHERE split = 'train' AND NOT ${isEvaluation}`,
  );
  const tasks = new Map<string, Set<string>>();
  for (const [family, task] of rows as [string, string][]) {
    const ids = tasks.get(family) ?? new Set();
    tasks.set(family, ids.add(task));
  }
  return tasks;
}
