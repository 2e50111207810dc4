import { Frames } from '../isolation/peer/frames.js';
import { Violation } from '../isolation/peer/violation.js';

const maxPacketBytes = 2 ** 20;

/** Throws `Violation` for malformed packets. */
export type PacketSplitter = (chunk: Buffer) => Buffer[];

/** Returns undefined for raw bytes, or if the client library bounds the packets. */
export function packetSplitterFor(service: string): PacketSplitter | undefined {
  if (service.startsWith('shell,v2')) return cut(5, (header) => 5 + header.readUInt32LE(1));
  if (service.startsWith('sync:')) return cut(1, syncLength());
  return undefined;
}

function cut(header: number, lengthOf: (header: Buffer) => number): PacketSplitter {
  let packets: Buffer[] = [];
  const frames = new Frames({
    header,
    maxBytes: maxPacketBytes,
    lengthOf: (bytes) => {
      const length = lengthOf(bytes);
      if (length > maxPacketBytes) throw new Violation(`sent an oversized packet (${length} bytes)`);
      return length;
    },
    frame: (bytes) => packets.push(bytes),
  });
  return (chunk) => {
    packets = [];
    frames.push(chunk);
    return packets;
  };
}

const state = { first: 12, second: 68 };

/** Follows adb's SYNC.TXT. Each connection serves one request. */
function syncLength(): (header: Buffer) => number {
  let over = false;
  return (bytes) => {
    // The rest belongs to the last reply, whose length depends on the request.
    if (over) return 1;
    if (bytes.length < 4) return 4;
    const counted = (at: number): number => (bytes.length < at + 4 ? at + 4 : at + 4 + bytes.readUInt32LE(at));
    switch (bytes.toString('latin1', 0, 4)) {
      case 'DATA':
      case 'FAIL':
        return counted(4);
      case 'DENT':
        return counted(4 + state.first);
      case 'DNT2':
        return counted(4 + state.second);
      case 'STAT':
        return 4 + state.first;
      case 'STA2':
      case 'LST2':
        return 4 + state.second;
      case 'OKAY':
        return 8;
      case 'DONE':
        over = true;
        return 4;
      default:
        throw new Violation('sent an invalid answer');
    }
  };
}
