import { appendFile, open, readFile } from 'node:fs/promises';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';

/** What a policy remembers of a task that is over, in its own words. */
export const Memory = z.strictObject({
  at: z.iso.datetime(),
  /** Id of the episode. */
  episode: z.string().min(1),
  instruction: z.string(),
  end: z.enum(['finished', 'out_of_budget', 'stuck', 'agent_fault']),
  /** What it meant to do, and what came of it. */
  summary: z.string().min(1),
});
export type Memory = z.infer<typeof Memory>;

/** Memories from run to run: a JSONL file that is only added to, oldest first. */
export class MemoryFile {
  readonly #memories: Memory[];

  private constructor(
    readonly path: string,
    memories: Memory[],
  ) {
    this.#memories = memories;
  }

  /**
   * Reads a file, or begins one.
   *
   * @throws GyreError `storage` where it cannot be read and written, and `corrupt` naming the first line that is no memory.
   */
  static async open(path: string): Promise<MemoryFile> {
    const text = await touch(path).catch((cause: unknown) => {
      throw unusable(path, cause);
    });
    const memories: Memory[] = [];
    for (const [index, line] of text.split('\n').entries()) {
      if (line.trim() !== '') memories.push(memoryOf(line, `${path}:${index + 1}`));
    }
    return new MemoryFile(path, memories);
  }

  /** The newest, oldest of them first; `count` at most. */
  latest(count: number): readonly Memory[] {
    return this.#memories.slice(-count);
  }

  /** Throws `storage` where the file cannot be written any more. */
  async add(memory: Memory): Promise<void> {
    this.#memories.push(memory);
    await appendFile(this.path, `${JSON.stringify(memory)}\n`).catch((cause: unknown) => {
      throw unusable(this.path, cause);
    });
  }
}

/** The text of a file that can be added to; an empty one where there was none. */
async function touch(path: string): Promise<string> {
  await (await open(path, 'a')).close();
  return readFile(path, 'utf8');
}

function memoryOf(line: string, where: string): Memory {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new GyreError('corrupt', `${where} is no JSON`, { field: where, fix: 'take the line out', cause });
  }
  const memory = Memory.safeParse(value);
  if (memory.success) return memory.data;
  const [issue] = memory.error.issues;
  throw new GyreError('corrupt', `${where} is no memory: ${issue?.path.join('.')} ${issue?.message}`, {
    field: where,
    fix: 'take the line out',
  });
}

const unusable = (path: string, cause: unknown): GyreError =>
  new GyreError('storage', `${path} cannot be read and written: ${(cause as Error).message}`, {
    field: path,
    fix: 'name a file in a folder that is there and may be written',
    cause,
  });
