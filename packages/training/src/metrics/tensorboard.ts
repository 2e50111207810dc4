import { crc32c } from './crc32c.js';

/** The first event of a file: which format the others have. */
const version = 'brain.Event:2';

/** Numbers of one moment, by name; a `/` in a name makes a group of charts. */
export interface ScalarEvent {
  /** Seconds since 1970. */
  readonly wallTime: number;
  readonly step: number;
  readonly scalars: Readonly<Record<string, number>>;
}

/**
 * How a TensorBoard event file begins. Files are found by `tfevents` in their names. No library for Node writes them, and scalars need six
 * fields of TensorFlow's `event.proto` and `summary.proto`: they are written here, for every reader of that format.
 *
 * @param wallTime seconds since 1970
 */
export function eventFileHead(wallTime: number): Buffer {
  return framed(Buffer.concat([double(1, wallTime), bytes(3, Buffer.from(version))]));
}

/** What is appended for an event. Of its numbers those that are finite: there is no place for others on a chart. */
export function scalarEvent({ wallTime, step, scalars }: ScalarEvent): Buffer {
  const values = Object.entries(scalars)
    .filter(([, value]) => Number.isFinite(value))
    .map(([name, value]) => bytes(1, Buffer.concat([bytes(1, Buffer.from(name)), float(2, value)])));
  return framed(Buffer.concat([double(1, wallTime), varintField(2, step), bytes(5, Buffer.concat(values))]));
}

/** A record of a TFRecord file: length, its checksum, the data, its checksum. */
function framed(data: Buffer): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(data.length));
  return Buffer.concat([length, masked(length), data, masked(data)]);
}

/** A checksum as it is stored beside its data: rotated and shifted, so that data with checksums in it has a good one too. */
function masked(data: Buffer): Buffer {
  const crc = crc32c(data);
  const out = Buffer.alloc(4);
  out.writeUInt32LE((((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0);
  return out;
}

/** Fields of protobuf messages: the number of the field with its wire type, then the value. */
const tag = (field: number, wire: number) => Buffer.of((field << 3) | wire);

function double(field: number, value: number): Buffer {
  const out = Buffer.alloc(8);
  out.writeDoubleLE(value);
  return Buffer.concat([tag(field, 1), out]);
}

function float(field: number, value: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeFloatLE(value);
  return Buffer.concat([tag(field, 5), out]);
}

const bytes = (field: number, value: Buffer) => Buffer.concat([tag(field, 2), varint(value.length), value]);

const varintField = (field: number, value: number) => Buffer.concat([tag(field, 0), varint(value)]);

/** @param value a whole number of 0 or more */
function varint(value: number): Buffer {
  const out: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...out, left]);
    out.push((left % 128) + 128);
  }
}
