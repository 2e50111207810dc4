import { once } from 'node:events';
import { createServer, type ListenOptions, type Server } from 'node:net';
import { pipeline } from 'node:stream';
import type { Enclosure } from './enclosure.js';

/** Exposes a session's port on the host until the session ends. Default: any free port of 127.0.0.1. */
export async function forward(
  enclosure: Enclosure,
  port: number,
  address: Pick<ListenOptions, 'path' | 'host' | 'port'>,
): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (client) => {
    client.on('error', () => client.destroy());
    enclosure.connect(port).then(
      (inside) => {
        pipeline(client, inside, () => undefined);
        pipeline(inside, client, () => undefined);
      },
      () => client.destroy(),
    );
  });
  server.listen(address.path === undefined ? { host: '127.0.0.1', port: 0, ...address } : { path: address.path });
  await once(server, 'listening');
  void enclosure.ended.then(() => server.close());
  return server;
}
