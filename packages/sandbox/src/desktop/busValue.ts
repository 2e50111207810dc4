import { Violation } from '../isolation/peer/violation.js';

export interface Variant {
  readonly signature: string;
  readonly value: unknown;
}

/** D-Bus specification: 32 arrays and 32 structs. Variants count too. */
const maxDepth = 64;
const longestSignature = 255;

const alignments: Readonly<Record<string, number>> = {
  y: 1,
  g: 1,
  v: 1,
  n: 2,
  q: 2,
  x: 8,
  t: 8,
  d: 8,
  '(': 8,
  '{': 8,
};
const alignmentOf = (type: string): number => alignments[type[0]!] ?? 4;

const fixed: Readonly<Record<string, (view: DataView, at: number, little: boolean) => unknown>> = {
  y: (view, at) => view.getUint8(at),
  n: (view, at, little) => view.getInt16(at, little),
  q: (view, at, little) => view.getUint16(at, little),
  i: (view, at, little) => view.getInt32(at, little),
  u: (view, at, little) => view.getUint32(at, little),
  // File descriptor index; descriptors are not read.
  h: (view, at, little) => view.getUint32(at, little),
  b: (view, at, little) => view.getUint32(at, little) === 1,
  x: (view, at, little) => Number(view.getBigInt64(at, little)),
  t: (view, at, little) => Number(view.getBigUint64(at, little)),
  d: (view, at, little) => view.getFloat64(at, little),
};

export function typesOf(signature: string): string[] {
  if (signature.length > longestSignature) throw new Violation('sent a signature that is too long');
  const types: string[] = [];
  for (let from = 0; from < signature.length;) {
    const to = endOfType(signature, from, 0);
    types.push(signature.slice(from, to));
    from = to;
  }
  return types;
}

function endOfType(signature: string, from: number, depth: number): number {
  const type = signature[from];
  if (type === undefined || depth > maxDepth) throw unknownType(signature);
  if (type === 'a') return endOfType(signature, from + 1, depth + 1);
  if (type !== '(' && type !== '{') {
    if (Object.hasOwn(fixed, type) || 'sogv'.includes(type)) return from + 1;
    throw unknownType(signature);
  }
  let index = from + 1;
  while (signature[index] !== (type === '(' ? ')' : '}')) index = endOfType(signature, index, depth + 1);
  // An array of empty structs would never end.
  if (index === from + 1) throw unknownType(signature);
  return index + 1;
}

const unknownType = (signature: string) =>
  new Violation(`sent an invalid signature: ${JSON.stringify(signature.slice(0, 80))}`);

/** Values aligned at 8 bytes. Throws `Violation`. */
export class BusReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #little: boolean;
  #at: number;

  constructor(bytes: Buffer, offset: number, little: boolean) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#at = offset;
    this.#little = little;
  }

  read(signature: string, depth = 0): unknown[] {
    return typesOf(signature).map((type) => this.#value(type, depth));
  }

  #value(type: string, depth: number): unknown {
    if (depth > maxDepth) throw new Violation('sent values that are nested too deeply');
    this.#align(alignmentOf(type));
    const read = Object.hasOwn(fixed, type) ? fixed[type] : undefined;
    if (read) return read(this.#view, this.#take(sizeOf(type)), this.#little);
    switch (type[0]) {
      case 's':
      case 'o':
        return this.#text(this.#length());
      case 'g':
        return this.#text(this.#bytes[this.#take(1)]!);
      case 'v': {
        const signature = this.#text(this.#bytes[this.#take(1)]!);
        const values = this.read(signature, depth + 1);
        if (values.length !== 1) throw new Violation('sent a variant without exactly one value');
        return { signature, value: values[0] } satisfies Variant;
      }
      case 'a':
        return this.#array(type.slice(1), depth);
      default:
        return this.read(type.slice(1, -1), depth + 1);
    }
  }

  #array(type: string, depth: number): unknown {
    const length = this.#length();
    this.#align(alignmentOf(type));
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new Violation('sent an array that is longer than its message');
    if (type === 'y') return this.#bytes.subarray(this.#take(length), end);
    const values: unknown[] = [];
    while (this.#at < end) values.push(this.#value(type, depth + 1));
    if (this.#at !== end) throw new Violation('sent an array that ends within a value');
    return values;
  }

  #text(length: number): string {
    const from = this.#take(length + 1);
    return this.#bytes.toString('utf8', from, from + length);
  }

  #length(): number {
    return this.#view.getUint32(this.#take(4), this.#little);
  }

  #align(to: number): void {
    this.#at = Math.ceil(this.#at / to) * to;
  }

  #take(length: number): number {
    const from = this.#at;
    if (from + length > this.#bytes.length) throw new Violation('sent values that are longer than their message');
    this.#at = from + length;
    return from;
  }
}

const sizeOf = (type: string): number => (type === 'b' ? 4 : alignmentOf(type));

/** Encodes s, o, g, u, i, y and `a(yv)`, aligned at 8 bytes. */
export class BusWriter {
  #bytes = Buffer.alloc(0);

  get bytes(): Buffer {
    return this.#bytes;
  }

  align(to: number): void {
    this.#add(Buffer.alloc(-this.#bytes.length & (to - 1)));
  }

  byte(value: number): void {
    this.#add(Buffer.of(value));
  }

  uint(value: number): void {
    this.align(4);
    const word = Buffer.alloc(4);
    word.writeUInt32LE(value >>> 0);
    this.#add(word);
  }

  text(value: string): void {
    const text = Buffer.from(value);
    this.uint(text.length);
    this.#add(Buffer.concat([text, Buffer.of(0)]));
  }

  signature(value: string): void {
    this.#add(Buffer.concat([Buffer.of(value.length), Buffer.from(value), Buffer.of(0)]));
  }

  #add(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
  }
}
