import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';

export const taskStates = ['open', 'claimed', 'submitted', 'accepted', 'returned'] as const;
export type TaskState = (typeof taskStates)[number];

const TaskEntry = z.strictObject({
  /** `open`: given back. */
  state: z.enum(taskStates),
  /** The annotator, or the reviewer. */
  by: z.string().min(1),
  at: z.iso.datetime(),
  episode: z.string().min(1),
  /** End of a claim's lease. */
  until: z.iso.datetime().optional(),
  reason: z.string().optional(),
});
export type TaskEntry = z.infer<typeof TaskEntry>;

export interface LoggedTask {
  /** Number of its last entry. */
  readonly number: number;
  readonly entry: TaskEntry;
}

const fileName = /^(\d{6})\.json$/;

/**
 * A log of each task's states: numbered, immutable files `TASK/NUMBER.json`, linked into place. Of two processes that write
 * one number, one fails, so a claim has one owner; no crash loses an entry.
 */
export class TaskLog {
  readonly #folder: string;
  readonly #read = new Map<string, LoggedTask>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the last entry of every task that has one. */
  async tasks(): Promise<Map<string, LoggedTask>> {
    const folders = await readdir(this.#folder).catch(ifMissing);
    const tasks = folders.map((name) => decodeURIComponent(name));
    const entries = await Promise.all(tasks.map((task) => this.last(task)));
    return new Map(tasks.flatMap((task, i) => (entries[i] ? [[task, entries[i]]] : [])));
  }

  async last(task: string): Promise<LoggedTask | undefined> {
    const names = await readdir(this.#folderOf(task)).catch(ifMissing);
    const number = Math.max(0, ...names.map((name) => Number(fileName.exec(name)?.[1] ?? 0)));
    const known = this.#read.get(task);
    if (number === 0 || known?.number === number) return number === 0 ? undefined : known;
    const path = this.#path(task, number);
    const entry = TaskEntry.safeParse(jsonOf(await readFile(path, 'utf8')));
    if (!entry.success) {
      throw new GyreError('corrupt', `${path} is not an entry of a task`, { field: path, fix: 'remove the file' });
    }
    const logged = { number, entry: entry.data };
    this.#read.set(task, logged);
    return logged;
  }

  /**
   * Adds an entry after the one that the caller knows.
   *
   * @returns undefined if another was added meanwhile
   * @throws GyreError `storage`
   */
  async add(task: string, after: number, entry: TaskEntry): Promise<LoggedTask | undefined> {
    const folder = this.#folderOf(task);
    const aside = join(folder, `${randomUUID()}.tmp`);
    const logged = { number: after + 1, entry: TaskEntry.parse(entry) };
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(aside, `${JSON.stringify(logged.entry)}\n`, { flush: true });
      await link(aside, this.#path(task, logged.number));
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return undefined;
      throw new GyreError('storage', `cannot write ${folder}: ${String(error)}`, {
        field: folder,
        fix: 'check the disk and its permissions',
        cause: error,
      });
    } finally {
      await unlink(aside).catch(() => undefined);
    }
    this.#read.set(task, logged);
    return logged;
  }

  #folderOf(task: string): string {
    return join(this.#folder, encodeURIComponent(task));
  }

  #path(task: string, number: number): string {
    return join(this.#folderOf(task), `${String(number).padStart(6, '0')}.json`);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

function ifMissing(error: unknown): string[] {
  if (codeOf(error) === 'ENOENT') return [];
  throw error;
}
