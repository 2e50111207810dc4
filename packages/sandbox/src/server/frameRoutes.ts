import type { WebSocket } from '@fastify/websocket';
import { GyreError } from '@gyre/protocol';
import type { z } from 'zod';
import type { AnySession } from '../lease/sandbox.js';
import { frames as routes, type ViewedSession } from '../wire/frames.js';
import { closeWhenUnresponsive } from './closeWhenUnresponsive.js';
import { closeWithError } from './failures.js';
import type { RouteContext } from './routeContext.js';
import { grants } from './tokens.js';

/** Frames in flight to acknowledging viewers. */
const maxUnacknowledged = 2;

const silenceMs = 30_000;

export function frameRoutes({ serve, serveSocket, viewable, bearer }: RouteContext): void {
  serve(routes.latest, async (request, reply) => {
    const session = viewable(request);
    // Viewers do not renew the lease.
    const isViewer = bearer(request)?.scope === 'watch';
    const frame = isViewer ? (await session.frames({ perSecond: 60 }).next()).value : await session.screen.observe();
    if (!frame) throw new GyreError('infra', 'the session has ended', { part: 'lease', fix: 'lease another session' });
    return reply.type('image/png').header('etag', `"${frame.hash}"`).send(Buffer.from(frame.png));
  });

  serveSocket(routes.stream, async (socket, request) => {
    closeWhenUnresponsive(socket, silenceMs);
    const scope = bearer(request)?.scope ?? 'watch';
    try {
      await show(socket, viewable(request), { ...request.query, mayControl: grants(scope, 'operate') });
      socket.close(1000, 'the session has ended');
    } catch (error) {
      closeWithError(socket, error);
    }
  });
}

/**
 * Sends each frame as two messages (hash and size, then PNG), and each new holder. Slow viewers skip to the newest
 * frame.
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
  let acknowledge: () => void = () => undefined;
  socket.on('message', () => {
    underway--;
    acknowledge();
  });
  const sendSession = () => {
    const { id, kind, state, screen, control } = session;
    const viewed: z.input<typeof ViewedSession> = {
      id,
      kind,
      state,
      size: screen.size,
      mayControl,
      heldBy: control.holder,
    };
    socket.send(JSON.stringify({ session: viewed }));
  };
  const unlisten = session.control.listen(sendSession);
  try {
    sendSession();
    for await (const { hash, size, png } of session.frames({ perSecond, signal: gone.signal })) {
      socket.send(JSON.stringify({ hash, size }));
      await Promise.race([new Promise<void>((resolve) => socket.send(png, () => resolve())), closed]);
      underway++;
      // Frames in network buffers would arrive late.
      while (acks && underway >= maxUnacknowledged && !gone.signal.aborted) {
        await Promise.race([new Promise<void>((resolve) => (acknowledge = resolve)), closed]);
      }
    }
  } finally {
    unlisten();
  }
}
