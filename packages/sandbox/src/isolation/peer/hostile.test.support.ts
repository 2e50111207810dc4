import { createServer, connect, type Socket } from 'node:net';

export function mutated(bytes: Buffer, next: () => number): Buffer {
  const copy = Buffer.from(bytes);
  const offset = Math.floor(next() * (copy.length + 1));
  switch (Math.floor(next() * 6)) {
    case 0:
      for (let times = 0; times < 4 && copy.length > 0; times++) {
        copy[Math.floor(next() * copy.length)] = Math.floor(next() * 256);
      }
      return copy;
    case 1:
      return copy.subarray(0, offset);
    case 2:
      return Buffer.concat([copy, copy]);
    case 3:
      return Buffer.concat([copy.subarray(0, offset), madeUp(next), copy.subarray(offset)]);
    case 4:
      if (copy.length >= 4)
        copy.writeUInt32LE(extremes[Math.floor(next() * extremes.length)]!, Math.min(offset, copy.length - 4));
      return copy;
    default:
      return madeUp(next);
  }
}

const extremes = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff, 0x0100_0000];

function madeUp(next: () => number): Buffer {
  return Buffer.from(Array.from({ length: Math.floor(next() * 200) }, () => Math.floor(next() * 256)));
}

/** Returns a seeded generator (mulberry32). */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface HostileProxy {
  readonly path: string;
  readonly passed: number;
  readonly changed: number;
  close(): Promise<void>;
}

export async function hostileProxy(path: string, to: string, share: number, seed: number): Promise<HostileProxy> {
  const next = numbers(seed);
  const sockets = new Set<Socket>();
  const counts = { passed: 0, changed: 0 };
  const server = createServer((client) => {
    const inner = connect(to);
    for (const socket of [client, inner]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        inner.destroy();
      });
    }
    client.pipe(inner);
    inner.on('data', (bytes: Buffer) => {
      const change = next() < share;
      counts.passed++;
      if (change) counts.changed++;
      client.write(change ? mutated(bytes, next) : bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    path,
    get passed() {
      return counts.passed;
    },
    get changed() {
      return counts.changed;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
