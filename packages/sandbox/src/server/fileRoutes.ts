import type { Readable } from 'node:stream';
import type { Routes } from './routes.js';
import { answers, Listing, PathQuery, SessionParams } from './wire.js';

/** Bytes of a file that is written. */
const fileLimit = 4 * 2 ** 30;

/** Files of a session's home. */
export function fileRoutes({ app, may, of }: Routes): void {
  const file = { params: SessionParams, querystring: PathQuery };
  app.get('/v1/sessions/:id/file', { onRequest: may('operate'), schema: file }, async (request, reply) => {
    const { stream, bytes } = await of(request).files.download(request.query.path);
    return reply.type('application/octet-stream').header('content-length', bytes).send(stream);
  });
  app.put(
    '/v1/sessions/:id/file',
    {
      onRequest: may('operate'),
      config: { access: { accepts: ['application/octet-stream'] } },
      bodyLimit: fileLimit,
      schema: file,
    },
    async (request, reply) => {
      const { files } = of(request);
      await files.upload(request.query.path, request.body as Readable, { folders: true });
      return reply.status(204).send();
    },
  );
  app.get(
    '/v1/sessions/:id/files',
    {
      onRequest: may('operate'),
      schema: { params: SessionParams, querystring: PathQuery, response: { 200: Listing, ...answers } },
    },
    async (request) => {
      const { entries, truncated } = await of(request).files.list(request.query.path);
      return { entries: entries.map((entry) => ({ ...entry, modified: entry.modified?.toISOString() })), truncated };
    },
  );
}
