import { z } from 'zod';
import { route } from './route.js';
import { SessionParams } from './session.js';

const positive = z.number().positive();

export const shell = {
  run: route({
    method: 'POST',
    path: '/v1/sessions/:id/run',
    scope: 'operate',
    summary: 'Runs a command until it ends',
    params: SessionParams,
    body: z.strictObject({
      command: z.string().min(1).max(1_000_000),
      timeoutMs: positive.optional(),
      cwd: z.string().optional(),
      stdin: z.string().optional(),
      maxOutput: positive.optional(),
    }),
    reply: z.object({
      exitCode: z.number().optional(),
      signal: z.string().optional(),
      stdout: z.string(),
      stderr: z.string(),
      timedOut: z.boolean(),
      truncated: z.boolean(),
      leftOut: z.object({ stdout: z.number(), stderr: z.number() }),
      ms: z.number(),
    }),
  }),
};
