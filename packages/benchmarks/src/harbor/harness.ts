import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import type { Command, CommandResult } from './commandEnvironment.js';

/** The first line that a harness writes. */
const Assignment = z.strictObject({ instruction: z.string().min(1), turns: z.int().positive() });

const Answer = z.union([
  z.strictObject({ stdout: z.string(), stderr: z.string(), code: z.int() }),
  /** A fault of the machine, not of the command. */
  z.strictObject({ error: z.string() }),
]);

/** A program that runs an agent's commands: one line of JSON each way, one command at a time. */
export class Harness {
  readonly #lines: AsyncIterator<string>;
  readonly #output: Writable;

  constructor(input: Readable, output: Writable) {
    this.#lines = createInterface({ input, crlfDelay: Infinity })[Symbol.asyncIterator]();
    this.#output = output;
  }

  /** Throws `bad_input`, and `infra` if the harness ends. */
  assignment(): Promise<z.infer<typeof Assignment>> {
    return this.#read(Assignment);
  }

  /** Throws `infra` for faults of the machine, and if the harness ends. */
  async run({ command, cwd, seconds }: Command): Promise<CommandResult> {
    this.#write({ run: { command, ...(cwd !== undefined && { cwd }), seconds } });
    const answer = await this.#read(Answer);
    if (!('error' in answer)) return answer;
    throw new GyreError('infra', `the machine failed: ${answer.error}`, { part: 'machine' });
  }

  end(result: object): void {
    this.#write({ end: result });
  }

  #write(message: object): void {
    this.#output.write(`${JSON.stringify(message)}\n`);
  }

  async #read<Schema extends z.ZodType>(schema: Schema): Promise<z.infer<Schema>> {
    const line = await this.#lines.next();
    if (line.done === true) throw new GyreError('infra', 'the harness has ended', { part: 'machine' });
    const parsed = schema.safeParse(jsonOf(line.value));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new GyreError('bad_input', `a line of the harness is invalid: ${issue?.message ?? 'it is malformed'}`, {
      field: issue?.path.join('.') || 'line',
      fix: 'write {"instruction", "turns"} first, then {"stdout", "stderr", "code"} or {"error"} for each command',
    });
  }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
