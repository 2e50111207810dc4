import type { Readable } from 'node:stream';
import { files as routes } from '../wire/files.js';
import type { RouteContext } from './routeContext.js';

export function fileRoutes({ serve, session }: RouteContext): void {
  serve(routes.read, async (request, reply) => {
    const { stream, bytes } = await session(request).files.download(request.query.path);
    return reply.type('application/octet-stream').header('content-length', bytes).send(stream);
  });
  serve(routes.write, async (request) => {
    await session(request).files.upload(request.query.path, request.body as Readable, { folders: true });
  });
  serve(routes.list, async (request) => {
    const { entries, truncated } = await session(request).files.list(request.query.path);
    return { entries: entries.map((entry) => ({ ...entry, modified: entry.modified?.toISOString() })), truncated };
  });
}
