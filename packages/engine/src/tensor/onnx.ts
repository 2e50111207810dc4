import type { Attribute, DType, Node, Tensor } from './graph.js';
import { type HalfType, toHalf } from '../checkpoint/half.js';
import { sizeOf } from './shape.js';

/** ONNX 1.17. */
const opset = 21;
const irVersion = 10;

/** Codes of `onnx.TensorProto.DataType`. */
export const onnxType: Readonly<Record<DType, number>> = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7, bool: 9 };
const halfType: Readonly<Record<HalfType, number>> = { F16: 10, BF16: 16 };

export function nameOf(tensor: Tensor): string {
  return `t${tensor.id}`;
}

export interface ModelOptions {
  name?: (tensor: Tensor) => string;
  /** Storage of matrices and tables, converted back on loading. */
  half?: HalfType | undefined;
}

const smallestHalved = 1024;

/**
 * Numbers below are field numbers of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto. `nodes` are sorted
 * topologically.
 */
export function writeModel(
  graph: {
    readonly nodes: readonly Node[];
    readonly inputs: readonly Tensor[];
    readonly constants?: readonly Tensor[];
    readonly outputs: readonly Tensor[];
  },
  { name = nameOf, half }: ModelOptions = {},
): Uint8Array {
  const { nodes, inputs, constants = [], outputs } = graph;
  const isHalved = ({ dtype, shape }: Tensor) =>
    half !== undefined && dtype === 'float32' && shape.length > 1 && sizeOf(shape) >= smallestHalved;
  const halved = constants.filter(isHalved);
  const usesMicrosoft = nodes.some(({ domain }) => domain === 'com.microsoft');
  const content = message(
    ...halved.map((constant) => bytes(1, writeCast(name(constant)))),
    ...nodes.map((node) => bytes(1, writeNode(node, name))),
    text(2, 'gyre'),
    ...constants.map((constant) => bytes(5, writeConstant(constant, name, isHalved(constant) ? half : undefined))),
    ...inputs.map((input) => bytes(11, writeValue(input, name))),
    ...outputs.map((output) => bytes(12, writeValue(output, name))),
  );
  return message(
    integer(1, irVersion),
    text(2, 'gyre'),
    bytes(7, content),
    bytes(8, message(text(1, ''), integer(2, opset))),
    ...(usesMicrosoft ? [bytes(8, message(text(1, 'com.microsoft'), integer(2, 1)))] : []),
  );
}

type Naming = (tensor: Tensor) => string;

function writeNode(node: Node, name: Naming): Uint8Array {
  return message(
    ...node.inputs.map((input) => text(1, name(input))),
    ...node.outputs.map((output) => text(2, name(output))),
    text(4, node.op),
    ...Object.entries(node.attributes).map(([key, value]) => bytes(5, writeAttribute(key, value))),
    text(7, node.domain),
  );
}

function writeCast(name: string): Uint8Array {
  const attribute = writeAttribute('to', onnxType.float32);
  return message(text(1, `${name}.half`), text(2, name), text(4, 'Cast'), bytes(5, attribute));
}

function writeAttribute(name: string, value: Attribute): Uint8Array {
  const type = (code: number) => integer(20, code);
  if (typeof value === 'number') return message(text(1, name), integer(3, value), type(2));
  if (typeof value === 'string') return message(text(1, name), text(4, value), type(3));
  if ('float' in value) return message(text(1, name), float(2, value.float), type(1));
  return message(text(1, name), ...value.map((item) => integer(8, item)), type(7));
}

function writeConstant(tensor: Tensor, name: Naming, half: HalfType | undefined): Uint8Array {
  const { source, shape, dtype } = tensor;
  if (source.kind !== 'constant') throw new TypeError(`${nameOf(tensor)} is not a constant`);
  const dims = shape.map((length) => integer(1, length));
  if (!half) {
    return message(...dims, integer(2, onnxType[dtype]), text(8, name(tensor)), bytes(9, source.bytes));
  }
  const values = toHalf(half, new Float32Array(source.bytes.buffer, source.bytes.byteOffset, sizeOf(shape)));
  const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return message(...dims, integer(2, halfType[half]), text(8, `${name(tensor)}.half`), bytes(9, raw));
}

function writeValue(tensor: Tensor, name: Naming): Uint8Array {
  const shape = message(...tensor.shape.map((length) => bytes(1, message(integer(1, length)))));
  const type = message(bytes(1, message(integer(1, onnxType[tensor.dtype]), bytes(2, shape))));
  return message(text(1, name(tensor)), bytes(2, type));
}

// Protocol Buffers: a field is (number << 3 | kind) and its value; kind 0 is a varint, 2 has a length, 5 is 32 bits.

function varint(value: number): number[] {
  const digits: number[] = [];
  // Negative numbers are 64-bit two's complement.
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    digits.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return [...digits, Number(rest)];
}

function integer(field: number, value: number): Uint8Array {
  return Uint8Array.from([...varint(field << 3), ...varint(value)]);
}

function float(field: number, value: number): Uint8Array {
  return message(Uint8Array.from(varint((field << 3) | 5)), new Uint8Array(Float32Array.of(value).buffer));
}

function bytes(field: number, value: Uint8Array): Uint8Array {
  return message(Uint8Array.from([...varint((field << 3) | 2), ...varint(value.length)]), value);
}

function text(field: number, value: string): Uint8Array {
  return bytes(field, new TextEncoder().encode(value));
}

function message(...fields: Uint8Array[]): Uint8Array {
  return Buffer.concat(fields);
}
