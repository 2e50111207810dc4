import type { WebSocket } from '@fastify/websocket';

/** Ends a WebSocket whose other end has not answered a ping for so long, in ms: it has gone, or does not read. */
export function endWhenSilent(socket: WebSocket, silenceMs: number): void {
  let alive = true;
  const beat = setInterval(() => {
    if (!alive) return socket.terminate();
    alive = false;
    socket.ping();
  }, silenceMs);
  socket.on('pong', () => (alive = true));
  socket.once('close', () => clearInterval(beat));
}
