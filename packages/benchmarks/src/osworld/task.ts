import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';

const Step = z.looseObject({ type: z.string(), parameters: z.record(z.string(), z.unknown()).default({}) });
const Getter = z.looseObject({ type: z.string() });
const oneOrMore = <T extends z.ZodType>(schema: T) => z.union([schema, z.array(schema.nullable())]);

/** One of OSWorld's JSON files; its set-up and evaluator are read by OSWorld. */
export const OsworldTask = z.looseObject({
  id: z.string().regex(/^[\w-]+$/),
  instruction: z.string().min(1),
  config: z.array(Step).default([]),
  related_apps: z.array(z.string()).default([]),
  proxy: z.boolean().default(false),
  evaluator: z.looseObject({
    func: oneOrMore(z.string()),
    postconfig: z.array(Step).default([]),
    result: oneOrMore(Getter).optional(),
    expected: oneOrMore(Getter).optional(),
  }),
});
export type OsworldTask = z.infer<typeof OsworldTask>;

export interface OfficialTask {
  /** `vlc`. */
  readonly domain: string;
  readonly task: OsworldTask;
  /** As in the file, for OSWorld. */
  readonly json: unknown;
}

const TaskList = z.record(z.string().regex(/^\w+$/), z.array(z.string().regex(/^[\w-]+$/)));

/** Names the place of the tasks of a benchmark in OSWorld's format. */
export interface TaskSource {
  readonly benchmark: string;
  /** Relative to the directory. */
  readonly folder: string;
  readonly flag: string;
  readonly repository: string;
}

/**
 * Reads tasks in OSWorld's format: those of `test_all.json` in the source's folder, or without that file all that there
 * are.
 *
 * @throws GyreError `bad_input` for another folder, or a file that is no task
 */
export async function readTasks(directory: string, source: TaskSource): Promise<OfficialTask[]> {
  const folder = join(directory, source.folder);
  const noTasks = (cause?: unknown) =>
    new GyreError('bad_input', `${directory} has no tasks of ${source.benchmark}`, {
      field: source.flag,
      fix: `use a clone of https://github.com/${source.repository}`,
      cause,
    });
  const examples = join(folder, 'examples');
  const listed = await readJson(join(folder, 'test_all.json'), TaskList, source).catch((error: unknown) => {
    if (error instanceof GyreError) throw error;
    return undefined;
  });
  const lists = listed ?? (await listTasks(examples, noTasks));
  const tasks: OfficialTask[] = [];
  for (const domain of Object.keys(lists).sort()) {
    for (const id of [...lists[domain]!].sort()) {
      const json = await readJson(join(examples, domain, `${id}.json`), z.unknown(), source);
      const task = OsworldTask.safeParse(json);
      if (!task.success) throw notTask(join(examples, domain, `${id}.json`), source, task.error);
      tasks.push({ domain, task: task.data, json });
    }
  }
  if (tasks.length === 0) throw noTasks();
  return tasks;
}

async function listTasks(examples: string, noTasks: (cause: unknown) => GyreError): Promise<Record<string, string[]>> {
  const entries = await readdir(examples, { withFileTypes: true }).catch((cause: unknown) => {
    throw noTasks(cause);
  });
  const lists: Record<string, string[]> = {};
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const files = (await readdir(join(examples, name))).filter((file) => file.endsWith('.json'));
    lists[name] = files.map((file) => file.slice(0, -'.json'.length));
  }
  return lists;
}

/** Throws the file system's error for a file that cannot be read, `bad_input` for one that does not fit. */
async function readJson<T>(file: string, schema: z.ZodType<T>, source: TaskSource): Promise<T> {
  const text = await readFile(file, 'utf8');
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw notTask(file, source, cause);
  }
}

const notTask = (file: string, { benchmark, flag }: TaskSource, cause: unknown) =>
  new GyreError('bad_input', `${file} is not one of ${benchmark}'s files`, {
    field: flag,
    fix: `use an unchanged clone of ${benchmark}`,
    cause,
  });
