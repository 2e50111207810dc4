import { createServer, Socket } from 'node:net';
import type { SocketReply, SocketRequest } from './socketBroker.js';

/** Runs in a session's network for `SocketBroker`. */

const send = (reply: SocketReply, handle?: Socket | ReturnType<typeof createServer>, done?: () => void) =>
  process.send?.(reply, handle, {}, done);

process.on('message', (request: SocketRequest) => {
  if ('connect' in request) connect(request.id, request.connect, ['127.0.0.1', '::1']);
  else listen(request.id, request.listen);
});

function connect(id: number, port: number, [host, ...others]: readonly string[]): void {
  const socket = new Socket();
  // The server's first bytes belong to the recipient.
  socket.pause();
  socket.once('error', (error) => {
    if (others.length > 0) connect(id, port, others);
    else send({ id, error: error.message });
  });
  socket.connect({ port, host: host ?? '' }, () => {
    socket.removeAllListeners('error');
    send({ id }, socket);
  });
}

function listen(id: number, port: number): void {
  const server = createServer();
  server.once('error', (error) => send({ id, error: error.message }));
  server.listen(port, '127.0.0.1', () => send({ id }, server, () => server.close()));
}
