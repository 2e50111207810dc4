import { z } from 'zod';
import { route } from './route.js';
import { SessionParams } from './session.js';

const params = SessionParams;
const query = z.strictObject({ path: z.string().min(1) });

export const files = {
  read: route({
    method: 'GET',
    path: '/v1/sessions/:id/file',
    scope: 'operate',
    summary: 'Reads a file',
    params,
    query,
    reply: 'application/octet-stream',
  }),
  write: route({
    method: 'PUT',
    path: '/v1/sessions/:id/file',
    scope: 'operate',
    summary: 'Writes a file and creates its parent folders',
    params,
    query,
    body: 'application/octet-stream',
    bodyLimit: 4 * 2 ** 30,
  }),
  list: route({
    method: 'GET',
    path: '/v1/sessions/:id/files',
    scope: 'operate',
    summary: 'Lists a folder',
    params,
    query,
    reply: z.object({
      entries: z.array(
        // Devices omit unknown fields.
        z.object({
          path: z.string(),
          type: z.string(),
          size: z.number().optional(),
          modified: z.iso.datetime().optional(),
          mode: z.number().optional(),
        }),
      ),
      truncated: z.boolean(),
    }),
  }),
};
