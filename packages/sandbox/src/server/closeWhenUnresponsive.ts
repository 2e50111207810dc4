import type { WebSocket } from '@fastify/websocket';

/** Ends a WebSocket that does not answer pings. */
export function closeWhenUnresponsive(socket: WebSocket, silenceMs: number): void {
  let alive = true;
  const beat = setInterval(() => {
    if (!alive) return socket.terminate();
    alive = false;
    socket.ping();
  }, silenceMs);
  socket.on('pong', () => (alive = true));
  socket.once('close', () => clearInterval(beat));
}
