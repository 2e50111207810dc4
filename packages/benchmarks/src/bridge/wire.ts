import { GyreError } from '@gyre/protocol';
import { z } from 'zod';

/** A line that the bridge prints. Unknown keys are errors: a later protocol is not understood by accident. */
const Reply = z.union([
  z.strictObject({ id: z.int().positive(), result: z.unknown() }).refine((reply) => reply.result !== undefined),
  z.strictObject({
    id: z.int().positive(),
    error: z.strictObject({ kind: z.enum(['infra', 'bad_input']), message: z.string() }),
  }),
]);
export type Reply = z.infer<typeof Reply>;

/** Returns one line without line breaks inside. */
export function printRequest(id: number, op: string, terms: object): string {
  return `${JSON.stringify({ id, op, terms })}\n`;
}

/** Returns undefined for a line that is no reply. */
export function readReply(line: Uint8Array): Reply | undefined {
  try {
    return Reply.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line)));
  } catch {
    return undefined;
  }
}

const lineBreak = 10;

/** Splits bytes into lines, across chunks. */
export class LineSplitter {
  #parts: Uint8Array[] = [];
  #length = 0;

  /** @param maxLength of a line, in bytes */
  constructor(readonly maxLength: number) {}

  /** Returns the lines that a chunk completes. Throws `infra` for a line that is too long. */
  push(chunk: Uint8Array): Uint8Array[] {
    const lines: Uint8Array[] = [];
    let start = 0;
    for (let end; (end = chunk.indexOf(lineBreak, start)) >= 0; start = end + 1) {
      this.#add(chunk.subarray(start, end));
      lines.push(Buffer.concat(this.#parts));
      [this.#parts, this.#length] = [[], 0];
    }
    this.#add(chunk.subarray(start));
    return lines;
  }

  #add(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length > this.maxLength) {
      throw new GyreError('infra', `printed a line of more than ${this.maxLength} bytes`, { part: 'benchmark' });
    }
    if (part.length > 0) this.#parts.push(part);
  }
}
