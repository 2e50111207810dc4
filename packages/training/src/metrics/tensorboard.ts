import { crc32c } from './crc32c.js';

const version = 'brain.Event:2';

/** `/` in a scalar's name groups charts. */
export interface ScalarEvent {
  /** Seconds since 1970. */
  readonly wallTime: number;
  readonly step: number;
  readonly scalars: Readonly<Record<string, number>>;
}

/**
 * Writes the file head. No maintained Node library does; scalars need six fields of TensorFlow's `event.proto` and
 * `summary.proto`.
 * @param wallTime seconds since 1970
 */
export function eventFileHead(wallTime: number): Buffer {
  return framed(Buffer.concat([double(1, wallTime), bytes(3, Buffer.from(version))]));
}

export function scalarEvent({ wallTime, step, scalars }: ScalarEvent): Buffer {
  const values = Object.entries(scalars)
    .filter(([, value]) => Number.isFinite(value))
    .map(([name, value]) => bytes(1, Buffer.concat([bytes(1, Buffer.from(name)), float(2, value)])));
  return framed(Buffer.concat([double(1, wallTime), varintField(2, step), bytes(5, Buffer.concat(values))]));
}

/** Encodes a TFRecord: length, its checksum, data, its checksum. */
function framed(data: Buffer): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(data.length));
  return Buffer.concat([length, masked(length), data, masked(data)]);
}

function masked(data: Buffer): Buffer {
  const crc = crc32c(data);
  const out = Buffer.alloc(4);
  out.writeUInt32LE((((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0);
  return out;
}

/** Protobuf field number and wire type. */
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

function varint(value: number): Buffer {
  const out: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...out, rest]);
    out.push((rest % 128) + 128);
  }
}
