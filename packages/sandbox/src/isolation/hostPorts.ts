import { connect, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { GyreError } from '@gyre/protocol';
import type { SocketBroker } from './socketBroker.js';

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?$/i;

/** Whether an entry names this host, like `localhost:3000`. */
export function isHostPort(entry: string): boolean {
  return loopback.test(entry);
}

export function splitHostPorts(allow: readonly string[]): { ports: number[]; others: string[] } {
  const ports = new Set<number>();
  const others: string[] = [];
  for (const entry of allow) {
    const match = loopback.exec(entry);
    if (!match) {
      others.push(entry);
      continue;
    }
    const port = Number(match[1]);
    if (!(port >= 1 && port <= 65_535)) {
      throw new GyreError('bad_input', `${JSON.stringify(entry)} names this host without a port`, {
        field: 'network.allow',
        fix: `add the port of your server, as in ${entry.replace(/:\d*$/, '')}:3000`,
      });
    }
    ports.add(port);
  }
  return { ports: [...ports], others };
}

/** Forwards a port of the session's loopback to the host's; its programs can no longer listen there. */
export async function forwardHostPort(socketBroker: SocketBroker, port: number): Promise<{ close(): void }> {
  const server = await socketBroker.listen(port);
  const sockets = new Set<Socket>();
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  server.on('connection', (inside: Socket) => {
    track(inside);
    // Development servers listen on only one of ::1 and 127.0.0.1.
    const outside = connect({ host: 'localhost', port, autoSelectFamily: true });
    track(outside);
    pipeline(inside, outside, inside, () => {
      inside.destroy();
      outside.destroy();
    });
  });
  server.unref();
  return {
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
