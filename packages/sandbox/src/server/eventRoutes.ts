import { once } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { SandboxEvent } from '../events/event.js';
import type { EventsOptions } from '../events/eventStream.js';
import { events as routes } from '../wire/events.js';
import type { RouteContext } from './routeContext.js';

const beatMs = 15_000;

/** All for admins; one session's for its owner and viewers. */
export function eventRoutes({ serve, sandbox, viewable }: RouteContext): void {
  serve(routes.all, (_, reply) => send(reply, (options) => sandbox.events(options)));
  serve(routes.session, (request, reply) => {
    const { id } = viewable(request);
    return send(reply, (options) => untilEnd(sandbox.events({ ...options, session: id })));
  });
}

/** Ends with the session's last event; omits owners. */
async function* untilEnd(events: AsyncIterable<SandboxEvent>): AsyncGenerator<SandboxEvent, void> {
  for await (const event of events) {
    const { owner: _, ...rest } = event as SandboxEvent & { owner?: string };
    yield rest;
    if (event.type === 'session.ended') return;
  }
}

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
      const isTaken = raw.write(`id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      if (!isTaken) await once(raw, 'drain', { signal: gone.signal });
    }
  } catch {
    // The client has gone.
  } finally {
    clearInterval(beat);
    raw.end();
  }
  return reply;
}
