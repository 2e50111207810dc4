import { once } from 'node:events';
import WebSocket from 'ws';
import { z } from 'zod';

/** Prints the frame count when stopped. */
const Told = z.union([
  z.strictObject({ url: z.string(), token: z.string(), watchers: z.int().positive() }),
  z.literal('stop'),
]);

let sockets: WebSocket[] = [];
let frames = 0;

process.on('message', (message) => {
  const command = Told.parse(message);
  if (command === 'stop') {
    for (const socket of sockets) socket.close();
    process.send?.(frames);
    return;
  }
  frames = 0;
  sockets = Array.from({ length: command.watchers }, () => {
    const socket = new WebSocket(command.url, { headers: { authorization: `Bearer ${command.token}` } });
    return socket.on('message', (_, binary) => void (frames += binary ? 1 : 0));
  });
  void Promise.all(sockets.map((socket) => once(socket, 'open'))).then(() => process.send?.(0));
});
