import type { Socket } from 'node:net';

/** adb's protocol.txt. */
export const commands = {
  auth: 0x48545541,
  close: 0x45534c43,
  connect: 0x4e584e43,
  okay: 0x59414b4f,
  open: 0x4e45504f,
  write: 0x45545257,
} as const;

export interface Packet {
  readonly command: number;
  readonly arg0: number;
  readonly arg1: number;
  readonly data: Buffer;
}

/** Checksums are ignored from this version on. */
export const version = 0x01000001;

export const maxData = 256 * 1_024;

const headerLength = 24;

export function encodePacket({ command, arg0, arg1, data }: Packet): Buffer {
  const header = Buffer.alloc(headerLength);
  header.writeUInt32LE(command, 0);
  header.writeUInt32LE(arg0, 4);
  header.writeUInt32LE(arg1, 8);
  header.writeUInt32LE(data.length, 12);
  header.writeUInt32LE((command ^ 0xffffffff) >>> 0, 20);
  return Buffer.concat([header, data]);
}

export function readPackets(socket: Socket, onPacket: (packet: Packet) => void): void {
  let waiting = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk]);
    while (waiting.length >= headerLength) {
      const command = waiting.readUInt32LE(0);
      const length = waiting.readUInt32LE(12);
      if (waiting.readUInt32LE(20) !== (command ^ 0xffffffff) >>> 0 || length > maxData) {
        socket.destroy();
        return;
      }
      if (waiting.length < headerLength + length) return;
      const [arg0, arg1] = [waiting.readUInt32LE(4), waiting.readUInt32LE(8)];
      const data = Buffer.from(waiting.subarray(headerLength, headerLength + length));
      waiting = waiting.subarray(headerLength + length);
      onPacket({ command, arg0, arg1, data });
    }
  });
}
