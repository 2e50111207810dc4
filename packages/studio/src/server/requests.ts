import { GyreError } from '@gyre/protocol';
import { HttpRefusal } from '@gyre/sandbox';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';

/** Parameters in the addresses of a run's episodes. */
export interface Named {
  run: string;
  id: string;
}

/**
 * Reads a request by its schema.
 *
 * @throws GyreError `bad_input` that names the first wrong field
 */
export function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  const field = issue?.path.join('.') || 'request';
  throw new GyreError('bad_input', `${field}: ${issue?.message}`, { field, fix: 'correct it in the request' });
}

/** Turns what a lake does not have into a 404; throws everything else as it is. */
export function asMissing(error: unknown): never {
  if (!(error instanceof GyreError) || (error.code !== 'bad_input' && error.code !== 'corrupt')) throw error;
  throw new HttpRefusal(404, error.message, 'choose another in the table of episodes');
}

/** Returns the headers so far, for a reply that is written by hand. */
export const headersOf = (reply: FastifyReply): Record<string, string> =>
  Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]));
