import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';

export const levels = ['easy', 'medium', 'hard'] as const;

/** Names the task's folder; as format v2 has it. */
export const TaskId = z.string().regex(/^[A-Za-z0-9_-]+$/);

export const OnlineTask = z.looseObject({
  task_id: TaskId,
  confirmed_task: z.string().min(1),
  website: z
    .string()
    .transform((text) => (/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`))
    .refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), { error: 'must be a web site' }),
  /** Steps of a person. */
  reference_length: z.int().nonnegative(),
  level: z.enum(levels).optional(),
});
export type OnlineTask = z.infer<typeof OnlineTask>;

export interface TaskList {
  readonly tasks: readonly OnlineTask[];
  /** First 12 digits of the file's SHA-256: the list changes, and has no version. */
  readonly hash: string;
}

/** Reads the official task list. Throws `bad_input` for another file, with the entry and field that do not fit. */
export async function readTaskList(file: string): Promise<TaskList> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw notList(file, 'cannot be read', cause);
  });
  const tasks = parseTaskList(bytes.toString('utf8'), file);
  return { tasks, hash: createHash('sha256').update(bytes).digest('hex').slice(0, 12) };
}

export function parseTaskList(text: string, file: string): OnlineTask[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw notList(file, 'is not JSON', cause);
  }
  const parsed = z.array(OnlineTask).min(1).safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw notList(file, `has an invalid ${issue?.path.join('.') || 'list'}: ${issue?.message}`, parsed.error);
  }
  const ids = parsed.data.map((task) => task.task_id);
  const twice = ids.find((id, i) => ids.indexOf(id) < i);
  if (twice !== undefined) throw notList(file, `has the task ${twice} twice`);
  return parsed.data;
}

const notList = (file: string, problem: string, cause?: unknown) =>
  new GyreError('bad_input', `the task list ${file} ${problem}`, {
    field: '--mind2web',
    fix: 'use Online_Mind2Web.json of the data set osunlp/Online-Mind2Web',
    cause,
  });
