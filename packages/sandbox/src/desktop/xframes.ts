import type { Socket } from 'node:net';
import { Allowance } from '../isolation/peer/allowance.js';
import { FramedStream } from '../isolation/peer/framedStream.js';
import type { Guard } from '../isolation/peer/guard.js';
import { Violation } from '../isolation/peer/violation.js';

const maxFrameBytes = 2 ** 20;
const maxUnread = 64 * 2 ** 20;
/** Per reply: programs inside can cause any number of events. */
const allowed = { burst: 200_000, perSecond: 20_000, unit: 'events' };

/** All messages but the first (X protocol, appendix B). */
const shortest = 32;
const reply = 1;
const genericEvent = 35;

const accepted = 1;
const setupHeader = 8;
const minSetupBytes = 40;

/** Rejects values that send `x11` into an endless loop. */
export function xStream(socket: Socket, guard: Guard): FramedStream {
  const events = new Allowance(allowed);
  let greeted = false;
  return new FramedStream(socket, {
    guard,
    maxUnread,
    framing: {
      header: setupHeader,
      maxBytes: maxFrameBytes,
      lengthOf: (header) => {
        const length = greeted ? lengthOf(header) : setupHeader + header.readUInt16LE(6) * 4;
        if (length > maxFrameBytes) throw new Violation(`sent an oversized message (${length} bytes)`);
        return length;
      },
    },
    check: (frame) => {
      if (!greeted) checkSetup(frame);
      greeted = true;
      events.spend(1);
    },
  });
}

function lengthOf(header: Buffer): number {
  const type = header[0]!;
  const longer = type === reply || (type & 0x7f) === genericEvent;
  return shortest + (longer ? header.readUInt32LE(4) * 4 : 0);
}

function checkSetup(frame: Buffer): void {
  if (frame[0] !== accepted) return;
  // x11 searches the mask's lowest bit.
  if (frame.length < minSetupBytes || frame.readUInt32LE(16) === 0) throw new Violation('sent an invalid greeting');
}
