import type { z } from 'zod';

/** NATS carries at most this by default. */
const longest = 2 ** 20;

/** Parses a message of another process. Returns undefined for anything else than the schema's JSON. */
export function read<Schema extends z.ZodType>(schema: Schema, bytes: Uint8Array): z.output<Schema> | undefined {
  if (bytes.length > longest) return undefined;
  try {
    return schema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8'))).data;
  } catch (error) {
    // Not JSON, or nested too deeply.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
