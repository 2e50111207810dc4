import { GyreError } from '@gyre/protocol';
import type { WebSocket } from '@fastify/websocket';
import type { AnySession } from '../lease/sandbox.js';
import { endWhenSilent } from './beat.js';
import { closeFor } from './failures.js';
import type { Routes } from './routes.js';
import { holds } from './tokens.js';
import { FrameQuery, SessionParams, type Watched } from './wire.js';

/** Frames that may be on their way to who says when it has shown one. */
const mostUnderway = 2;

/** Who watches and does not answer for so long, in ms, has gone, or does not read. */
const silenceMs = 30_000;

/** What a session shows: once, or at each change. */
export function frameRoutes({ app, may, seen, bearer }: Routes): void {
  app.get(
    '/v1/sessions/:id/frame',
    { onRequest: may('watch'), schema: { params: SessionParams } },
    async (request, reply) => {
      const looking = bearer(request)?.scope === 'watch';
      const session = seen(request);
      // Who only looks does not renew the lease.
      const frame = looking ? (await session.frames({ perSecond: 60 }).next()).value : await session.screen.observe();
      if (!frame) throw new GyreError('infra', 'the session has ended', { part: 'lease', fix: 'lease another' });
      return reply.type('image/png').header('etag', `"${frame.hash}"`).send(Buffer.from(frame.png));
    },
  );

  app.get(
    '/v1/sessions/:id/frames',
    { websocket: true, onRequest: may('watch'), schema: { params: SessionParams, querystring: FrameQuery } },
    async (socket, request) => {
      endWhenSilent(socket, silenceMs);
      const scope = bearer(request)?.scope ?? 'watch';
      try {
        const session = seen(request);
        await show(socket, session, { ...request.query, mayControl: holds(scope, 'operate') });
        socket.close(1000, 'the session has ended');
      } catch (error) {
        closeFor(socket, error);
      }
    },
  );
}

/**
 * Sends each frame as two messages, what it is and the PNG, until the session ends or nobody is there any more; and, at first and
 * whenever that changes, who has the session. Who is slow gets the newest frame next.
 */
async function show(
  socket: WebSocket,
  session: AnySession,
  { perSecond, acks, mayControl }: { perSecond: number; acks: boolean; mayControl: boolean },
): Promise<void> {
  const gone = new AbortController();
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  void closed.then(() => gone.abort());
  let underway = 0;
  let shown: () => void = () => undefined;
  socket.on('message', () => {
    underway--;
    shown();
  });
  const tell = () => {
    const { id, kind, state, screen, control } = session;
    const heldBy = control.holder;
    const watched: Watched = {
      id,
      kind,
      state,
      size: screen.size,
      mayControl,
      ...(heldBy !== undefined && { heldBy }),
    };
    socket.send(JSON.stringify({ session: watched }));
  };
  const unlisten = session.control.listen(tell);
  try {
    tell();
    for await (const { hash, size, png } of session.frames({ perSecond, signal: gone.signal })) {
      socket.send(JSON.stringify({ hash, size }));
      await Promise.race([new Promise<void>((resolve) => socket.send(png, () => resolve())), closed]);
      underway++;
      // What lies in the buffers of the network is late when it arrives.
      while (acks && underway >= mostUnderway && !gone.signal.aborted) {
        await Promise.race([new Promise<void>((resolve) => (shown = resolve)), closed]);
      }
    }
  } finally {
    unlisten();
  }
}
