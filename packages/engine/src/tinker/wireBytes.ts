import { BinaryReader, type WireType } from '@bufbuild/protobuf/wire';
import { GyreError } from '@gyre/protocol';

/** Reads one field of a message by its number; others are skipped. */
export type FieldReaders = Readonly<Record<number, readonly [WireType, (reader: BinaryReader) => void]>>;

/** Bounds the objects made of one message, since an empty part takes two bytes. */
export class PartCount {
  static readonly largest = 100_000;
  #count = 0;

  add(): void {
    this.#count++;
    if (this.#count > PartCount.largest) throw malformed(`it has more than ${PartCount.largest} parts`);
  }
}

/** @throws GyreError `bad_input` for bytes that are no message of these fields. */
export function readMessage(bytes: Uint8Array, fields: FieldReaders): void {
  try {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [number, type] = reader.tag();
      const [expected, read] = fields[number] ?? [];
      if (read === undefined) reader.skip(type, number);
      else if (type === expected) read(reader);
      else throw malformed(`field ${number} has the wire type ${type}, not ${expected}`);
    }
    if (reader.pos > reader.len) throw malformed('it ends inside a field');
  } catch (cause) {
    throw cause instanceof GyreError ? cause : malformed((cause as Error).message, cause);
  }
}

export function malformed(reason: string, cause?: unknown): GyreError {
  return new GyreError('bad_input', `the protobuf message is invalid: ${reason}`, {
    field: 'body',
    fix: "send the messages of Tinker's package tinker_public",
    cause,
  });
}

/** Little-endian, as every platform of Node is. */
const types = { f32: Float32Array, i32: Int32Array, i64: BigInt64Array };

export type NumberType = keyof typeof types;

/** @throws GyreError `bad_input` for a number that the type cannot hold. */
export function bytesOf(type: NumberType, values: readonly number[], field: string): Uint8Array {
  const isHeld = (value: number) =>
    type === 'f32' || (type === 'i32' ? (value | 0) === value : Number.isSafeInteger(value));
  const unfit = values.find((value) => !isHeld(value));
  if (unfit !== undefined) {
    throw new GyreError('bad_input', `${field} has ${unfit}, which is no ${type}`, {
      field,
      fix: `use numbers that fit into ${type}`,
    });
  }
  const array = type === 'i64' ? BigInt64Array.from(values, BigInt) : types[type].from(values);
  return new Uint8Array(array.buffer);
}

/** Widens bfloat16, the upper half of a float32. */
export function bf16NumbersOf(bytes: Uint8Array): number[] {
  const widened = new Uint8Array(2 * bytes.length);
  for (const [i, byte] of bytes.entries()) widened[2 * i - (i % 2) + 2] = byte;
  return numbersOf('f32', widened);
}

/** @throws GyreError `bad_input` for bytes that are no whole numbers of the type, and for unsafe integers. */
export function numbersOf(type: NumberType, bytes: Uint8Array): number[] {
  const { BYTES_PER_ELEMENT: width } = types[type];
  if (bytes.length % width !== 0) throw malformed(`${bytes.length} bytes are no whole number of ${type}`);
  // Copied to be aligned. A Buffer's slice() would not copy.
  const array = new types[type](new Uint8Array(bytes).buffer);
  const values = Array.from(array as ArrayLike<number | bigint>, Number);
  if (type === 'i64' && !values.every(Number.isSafeInteger)) throw malformed('an i64 is larger than 2^53');
  return values;
}
