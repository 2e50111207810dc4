// A minimal WebAssembly assembler (https://webassembly.github.io/spec/core/binary) for SIMD loops, in postfix order.

/** An expression with one result, or an instruction without. */
export type Code = readonly number[];
export type ValueType = 'i32' | 'f32' | 'f64' | 'v128';

export interface WasmFunction {
  parameters: readonly ValueType[];
  /** Numbered after the parameters. */
  locals: readonly ValueType[];
  result: ValueType;
  body: readonly Code[];
}

const typeCodes: Readonly<Record<ValueType, number>> = { i32: 0x7f, f32: 0x7d, f64: 0x7c, v128: 0x7b };

const plain = (code: number) => (a: Code, b: Code) => [...a, ...b, code];
const vector =
  (code: number) =>
  (...operands: Code[]) => [...operands.flat(), 0xfd, ...unsigned(code)];
const lane = (code: number) => (v: Code, place: number) => [...vector(code)(v), place];

export const local = (place: number): Code => [0x20, ...unsigned(place)];
export const setLocal = (place: number, value: Code): Code => [...value, 0x21, ...unsigned(place)];
export const teeLocal = (place: number, value: Code): Code => [...value, 0x22, ...unsigned(place)];
/** A do-while loop on an i32 condition. */
export const repeatWhile = (condition: Code, ...body: Code[]): Code => [
  ...[0x03, 0x40],
  ...body.flat(),
  ...condition,
  ...[0x0d, 0],
  0x0b,
];

export const i32 = {
  constant: (value: number): Code => [0x41, ...signed(value)],
  lessThan: plain(0x49),
  add: plain(0x6a),
};

export const f32 = { add: plain(0x92) };
export const f64 = { add: plain(0xa0) };

export const v128 = {
  /** Address plus offset, both multiples of 16 bytes. */
  load: (address: Code, offset: number): Code => [...address, 0xfd, 0x00, 4, ...unsigned(offset)],
  store: (address: Code, offset: number, value: Code): Code => [
    ...address,
    ...value,
    0xfd,
    0x0b,
    4,
    ...unsigned(offset),
  ],
  and: vector(0x4e),
  upper: (v: Code): Code => [...vector(0x0d)(v, v), ...[8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15]],
};

export const f32x4 = {
  splat: vector(0x13),
  lane: lane(0x1f),
  atLeast: vector(0x46),
  abs: vector(0xe0),
  sqrt: vector(0xe3),
  add: vector(0xe4),
  sub: vector(0xe5),
  mul: vector(0xe6),
  div: vector(0xe7),
};

export const f64x2 = {
  lane: lane(0x21),
  promoteLower: vector(0x5f),
  add: vector(0xf0),
  mul: vector(0xf2),
};

// Missing from @types/node.
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: Record<string, unknown> };
};

/** Compiles synchronously; `pages` are 64 KiB. */
export function instantiate<Name extends string>(
  functions: Readonly<Record<Name, WasmFunction>>,
  pages: number,
): { memory: ArrayBuffer; functions: Record<Name, (...values: number[]) => number> } {
  const entries = Object.entries<WasmFunction>(functions);
  const types = entries.map(([, { parameters, result }]) => [
    0x60,
    ...list(parameters.map((type) => [typeCodes[type]])),
    ...list([[typeCodes[result]]]),
  ]);
  const bodies = entries.map(([, { locals, body }]) => {
    const declared = list(locals.map((type) => [1, typeCodes[type]]));
    const code = [...declared, ...body.flat(), 0x0b];
    return [...unsigned(code.length), ...code];
  });
  const exported = [
    [...text('memory'), 2, 0],
    ...entries.map(([name], place) => [...text(name), 0, ...unsigned(place)]),
  ];
  const module = Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list(types)),
    ...section(3, list(entries.map((_, place) => unsigned(place)))),
    ...section(5, list([[0, ...unsigned(pages)]])),
    ...section(7, list(exported)),
    ...section(10, list(bodies)),
  ]);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module));
  return {
    memory: (exports.memory as { buffer: ArrayBuffer }).buffer,
    functions: exports as Record<Name, (...values: number[]) => number>,
  };
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content];
}

function list(items: readonly Code[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function text(value: string): number[] {
  return list([...Buffer.from(value)].map((byte) => [byte]));
}

function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...unsigned(Math.floor(value / 128))];
}

function signed(value: number): number[] {
  const low = value & 127;
  const rest = value >> 7;
  const done = (rest === 0 && low < 64) || (rest === -1 && low >= 64);
  return done ? [low] : [low + 128, ...signed(rest)];
}
