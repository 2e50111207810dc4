import { once } from 'node:events';
import type { ServerAccess } from '@gyre/sandbox';
import type { FastifyInstance } from 'fastify';
import type { RunsFollower } from '../follow/runsFollower.js';
import { headersOf } from './requests.js';
import type { StudioEvent } from './trainingWire.js';

const beatMs = 15_000;

/**
 * Adds `GET /api/stream`, the events of all runs as Server-Sent Events. `Last-Event-ID` resumes.
 */
export function streamRoutes(
  app: FastifyInstance,
  { access, follower }: { readonly access: ServerAccess; readonly follower: RunsFollower },
): void {
  app.get('/api/stream', { onRequest: access.may('watch') }, async (request, reply) => {
    const last = request.headers['last-event-id'];
    const after = typeof last === 'string' && /^\d{1,16}$/.test(last) ? Number(last) : undefined;
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, {
      ...headersOf(reply),
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    const beat = setInterval(() => {
      if (!raw.writableNeedDrain) raw.write(':\n\n');
    }, beatMs);
    await follower.join();
    const send = (id: number, event: StudioEvent): boolean =>
      raw.write(`id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    const start = follower.log.last;
    if (after === undefined) send(start, { type: 'following' });
    try {
      for await (const { id, ...rest } of follower.log.read(after ?? start, gone.signal)) {
        const isTaken = send(id, 'event' in rest ? rest.event : { type: 'missed', count: rest.missed });
        if (!isTaken) await once(raw, 'drain', { signal: gone.signal });
      }
    } catch (error) {
      if (!gone.signal.aborted) request.log.error(error);
    } finally {
      clearInterval(beat);
      follower.leave();
      raw.end();
    }
    return reply;
  });
}
