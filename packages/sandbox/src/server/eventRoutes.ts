import { once } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { SandboxEvent } from '../events/event.js';
import type { EventsOptions } from '../events/eventStream.js';
import type { Routes } from './routes.js';
import { SessionParams } from './wire.js';

/** How often somebody who hears nothing is told that the connection holds, in ms. */
const beatMs = 15_000;

/**
 * What happens, as server-sent events: everything for admins, of one session for its leaser and for those who watch. There is no HEAD of
 * them: it would have no end.
 */
export function eventRoutes({ app, sandbox, may, seen }: Routes): void {
  app.get('/v1/events', { onRequest: may('admin'), exposeHeadRoute: false, schema: { hide: true } }, (_, reply) =>
    send(reply, (options) => sandbox.events(options)),
  );
  app.get(
    '/v1/sessions/:id/events',
    { onRequest: may('watch'), exposeHeadRoute: false, schema: { hide: true, params: SessionParams } },
    (request, reply) => {
      const { id } = seen(request);
      return send(reply, (options) => untilEnd(sandbox.events({ ...options, session: id })));
    },
  );
}

/** Those of one session, up to its last, without whose it is. */
async function* untilEnd(events: AsyncIterable<SandboxEvent>): AsyncGenerator<SandboxEvent, void> {
  for await (const event of events) {
    const { owner: _, ...told } = event as SandboxEvent & { owner?: string };
    yield told;
    if (event.type === 'session.ended') return;
  }
}

/** Sends events as fast as they are taken, until whoever hears them has gone or there are no more. */
async function send(
  reply: FastifyReply,
  read: (options: EventsOptions) => AsyncIterable<SandboxEvent>,
): Promise<FastifyReply> {
  reply.hijack();
  const { raw } = reply;
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  const events = read({ signal: gone.signal });
  raw.writeHead(200, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  raw.write(':\n\n');
  const beat = setInterval(() => {
    if (!raw.writableNeedDrain) raw.write(':\n\n');
  }, beatMs);
  try {
    for await (const event of events) {
      const taken = raw.write(`id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      if (!taken) await once(raw, 'drain', { signal: gone.signal });
    }
  } catch {
    // Whoever heard them has gone.
  } finally {
    clearInterval(beat);
    raw.end();
  }
  return reply;
}
