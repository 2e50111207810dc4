import { Violation } from '../isolation/peer/violation.js';
import { BusReader, BusWriter, type Variant } from './busValue.js';

/** Arguments: strings (s) and integers (u, i). */
export interface Call {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly body?: readonly (string | number)[];
}

export interface BusMessage {
  readonly type: number;
  readonly replySerial: number | undefined;
  readonly errorName: string | undefined;
  readonly signature: string;
  readonly body: () => unknown[];
}

/** D-Bus specification. */
export const messageType = { call: 1, answer: 2, error: 3 } as const;
const field = { path: 1, interface: 2, member: 3, error: 4, replySerial: 5, destination: 6, signature: 8 } as const;

export const headerBytes = 16;
const maxBytes = 2 ** 27;
const little = 0x6c;
const big = 0x42;
const version = 1;

const padded = (length: number): number => Math.ceil(length / 8) * 8;

/** Throws `Violation`, as does `readMessage`. */
export function lengthOfMessage(header: Buffer): number {
  const order = header[0];
  if ((order !== little && order !== big) || header[3] !== version) throw new Violation('sent an invalid message');
  const word = (at: number) => (order === little ? header.readUInt32LE(at) : header.readUInt32BE(at));
  const length = headerBytes + padded(word(12)) + word(4);
  if (length > maxBytes) throw new Violation(`sent an oversized message (${length} bytes)`);
  return length;
}

export function readMessage(bytes: Buffer): BusMessage {
  const inOrder = bytes[0] === little;
  const fieldsLength = inOrder ? bytes.readUInt32LE(12) : bytes.readUInt32BE(12);
  const [list] = new BusReader(bytes.subarray(0, headerBytes + fieldsLength), 12, inOrder).read('a(yv)');
  const fields = new Map((list as [number, Variant][]).map(([code, variant]) => [code, variant]));
  const text = (code: number, type: string): string | undefined => {
    const variant = fields.get(code);
    if (variant && variant.signature !== type) throw new Violation('sent a message with a field of the wrong type');
    return variant?.value as string | undefined;
  };
  const reply = fields.get(field.replySerial);
  if (reply && reply.signature !== 'u') throw new Violation('sent a message with a field of the wrong type');
  const signature = text(field.signature, 'g') ?? '';
  return {
    type: bytes[1]!,
    replySerial: reply?.value as number | undefined,
    errorName: text(field.error, 's'),
    signature,
    body: () => new BusReader(bytes, headerBytes + padded(fieldsLength), inOrder).read(signature),
  };
}

export function writeCall(serial: number, call: Call): Buffer {
  const body = new BusWriter();
  const { signature = '', body: values = [] } = call;
  values.forEach((value, index) => {
    if (signature[index] === 's') body.text(String(value));
    else body.uint(Number(value));
  });
  const fields = new BusWriter();
  const add = (code: number, type: 's' | 'o' | 'g', value: string) => {
    fields.align(8);
    fields.byte(code);
    fields.signature(type);
    if (type === 'g') fields.signature(value);
    else fields.text(value);
  };
  add(field.path, 'o', call.path);
  add(field.interface, 's', call.interface);
  add(field.member, 's', call.member);
  add(field.destination, 's', call.destination);
  if (signature !== '') add(field.signature, 'g', signature);
  const head = new BusWriter();
  for (const byte of [little, messageType.call, 0, version]) head.byte(byte);
  head.uint(body.bytes.length);
  head.uint(serial);
  head.uint(fields.bytes.length);
  const padding = Buffer.alloc(padded(fields.bytes.length) - fields.bytes.length);
  return Buffer.concat([head.bytes, fields.bytes, padding, body.bytes]);
}
