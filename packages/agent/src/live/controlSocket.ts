import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { errorReply } from '@gyre/sandbox';
import Fastify, { type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ControlDesk } from './controlDesk.js';
import { type ControlReply, ControlRequest, ControlVerb, type LiveState, socketFolder, Viewer } from './controlWire.js';

/** The kernel's limit is 108 bytes, 104 on macOS. */
const longestPath = 100;

/** Lets people control the episodes that this process plays into a lake. */
export interface ControlSocket {
  readonly desk: ControlDesk;
  close(): Promise<void>;
}

/**
 * Listens at a socket in the lake's folder, which only this user can reach. Costs nothing until somebody connects.
 *
 * @returns undefined if no socket can be made there: playing does not depend on it
 */
export async function openControlSocket(lake: string): Promise<ControlSocket | undefined> {
  const folder = join(lake, socketFolder);
  const desk = new ControlDesk();
  const app = controlServer(desk);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeStale(folder);
    const socket = await shortPath(folder, `${process.pid}-${randomBytes(6).toString('hex')}.sock`);
    await app.listen({ path: socket.path });
    await chmod(socket.path, 0o600);
    app.server.unref();
    return {
      desk,
      async close() {
        desk.close();
        await app.close();
        await socket.close();
      },
    };
  } catch {
    desk.close();
    await app.close();
    return undefined;
  }
}

function controlServer(desk: ControlDesk): FastifyInstance {
  const app = Fastify({ bodyLimit: 2 ** 16, forceCloseConnections: true });
  app.setErrorHandler((error, _, reply) => {
    const { status, body } = errorReply(error instanceof z.ZodError ? badRequest(error) : error);
    return reply.status(status).send(body);
  });
  app.get<{ Querystring: { viewer?: string } }>('/v1/episodes', ({ query }): LiveState[] =>
    desk.states(query.viewer === undefined ? undefined : Viewer.parse(query.viewer)),
  );
  app.get<{ Params: { id: string } }>('/v1/episodes/:id/screen', async ({ params }, reply) =>
    reply.type('image/png').send(Buffer.from(await desk.screen(params.id))),
  );
  app.post<{ Params: { id: string; verb: string } }>(
    '/v1/episodes/:id/:verb',
    ({ params, body }): Promise<ControlReply> =>
      desk.ask(params.id, ControlVerb.parse(params.verb), ControlRequest.parse(body)),
  );
  return app;
}

function badRequest({ issues: [issue] }: z.ZodError): GyreError {
  const field = issue?.path.join('.') || 'request';
  return new GyreError('bad_input', `${field}: ${issue?.message}`, { field, fix: 'correct it in the request' });
}

/** Removes sockets of processes that were killed: nobody answers there. */
async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const socket = await shortPath(folder, name);
    const isStale = await new Promise<boolean>((resolve) => {
      const connection = connect(socket.path);
      connection.on('connect', () => resolve(false));
      connection.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
      connection.on('connect', () => connection.destroy());
    });
    await socket.close();
    if (isStale) await rm(join(folder, name), { force: true });
  }
}

/** Returns a path of a socket that the kernel accepts, also where the folder's is too long. */
export async function shortPath(
  folder: string,
  name: string,
): Promise<{ readonly path: string; close(): Promise<void> }> {
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= longestPath) return { path, close: () => Promise.resolve() };
  const handle = await open(folder);
  return { path: `/proc/self/fd/${handle.fd}/${name}`, close: () => handle.close() };
}
