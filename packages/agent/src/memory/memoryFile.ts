import { appendFile, open, readFile } from 'node:fs/promises';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';

export const Memory = z.strictObject({
  at: z.iso.datetime(),
  episode: z.string().min(1),
  instruction: z.string(),
  end: z.enum(['finished', 'out_of_budget', 'stuck', 'agent_fault']),
  summary: z.string().min(1),
});
export type Memory = z.infer<typeof Memory>;

/** An append-only JSONL file, oldest first. */
export class MemoryFile {
  readonly #memories: Memory[];

  private constructor(
    readonly path: string,
    memories: Memory[],
  ) {
    this.#memories = memories;
  }

  /** @throws GyreError `storage` on I/O errors, `corrupt` naming the first malformed line */
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

  /** Returns the newest memories, oldest first. */
  latest(count: number): readonly Memory[] {
    return this.#memories.slice(-count);
  }

  /** Throws 'storage'. */
  async add(memory: Memory): Promise<void> {
    this.#memories.push(memory);
    await appendFile(this.path, `${JSON.stringify(memory)}\n`).catch((cause: unknown) => {
      throw unusable(this.path, cause);
    });
  }
}

async function touch(path: string): Promise<string> {
  await (await open(path, 'a')).close();
  return readFile(path, 'utf8');
}

function memoryOf(line: string, where: string): Memory {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new GyreError('corrupt', `${where} is not valid JSON`, { field: where, fix: 'delete the line', cause });
  }
  const memory = Memory.safeParse(value);
  if (memory.success) return memory.data;
  const issues = memory.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  throw new GyreError('corrupt', `${where} is not a valid memory: ${issues.join(', ')}`, {
    field: where,
    fix: 'delete the line',
  });
}

const unusable = (path: string, cause: unknown): GyreError =>
  new GyreError('storage', `cannot open ${path}: ${(cause as Error).message}`, {
    field: path,
    fix: 'use a file in an existing, writable folder',
    cause,
  });
