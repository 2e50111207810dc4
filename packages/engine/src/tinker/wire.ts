import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { bytesOf, malformed, numbersOf, PartCount, readMessage } from './wireBytes.js';

/*
 * Messages of Tinker's protobuf package `tinker_public` that carry tensors and tokens; everything else is JSON. Varints,
 * bounds and unknown fields are `@bufbuild/protobuf`'s (no dependencies of its own, maintained with the protobuf
 * conformance suite): our own 45 lines would be shorter, but would have to be proven against hostile bytes again.
 */

export type WireChunk =
  | { readonly tokens: readonly number[] }
  | { readonly image: Uint8Array; readonly format: string; readonly expectedTokens?: number | undefined };

export interface WireTensor {
  readonly type: 'f32' | 'i64';
  /** One-dimensional. */
  readonly values: readonly number[];
}

export interface WireDatum {
  readonly chunks: readonly WireChunk[];
  readonly inputs: ReadonlyMap<string, WireTensor>;
}

export interface ForwardBackwardRequest {
  readonly modelId: string;
  /** 0: none. */
  readonly seqId: number;
  readonly data: readonly WireDatum[];
  readonly loss: string;
  readonly lossConfig: ReadonlyMap<string, number>;
  readonly forwardOnly: boolean;
}

const { LengthDelimited: bytesType, Varint: varint, Bit64: double } = WireType;
const typeIds = { f32: 1, i64: 2 } as const;

/** @throws GyreError `bad_input` for tokens that are no int32. */
export function encodeRequest(request: ForwardBackwardRequest): Uint8Array {
  const { modelId, seqId, data, loss, lossConfig, forwardOnly } = request;
  const writer = new BinaryWriter();
  writer.tag(1, bytesType).string(modelId);
  if (seqId !== 0) writer.tag(2, varint).int32(seqId);
  for (const datum of data) writeDatum(writer.tag(3, bytesType).fork(), datum).join();
  writer.tag(4, bytesType).string(loss);
  for (const [name, value] of lossConfig)
    writer.tag(5, bytesType).fork().tag(1, bytesType).string(name).tag(2, double).double(value).join();
  if (forwardOnly) writer.tag(6, varint).bool(true);
  return writer.finish();
}

function writeDatum(writer: BinaryWriter, { chunks, inputs }: WireDatum): BinaryWriter {
  for (const chunk of chunks) writeChunk(writer.tag(1, bytesType).fork(), chunk).join();
  for (const [name, tensor] of inputs) {
    writer.tag(2, bytesType).fork().tag(1, bytesType).string(name).tag(2, bytesType).fork();
    writeTensor(writer, name, tensor).join().join();
  }
  return writer;
}

function writeChunk(writer: BinaryWriter, chunk: WireChunk): BinaryWriter {
  if ('tokens' in chunk) {
    const tokens = bytesOf('i32', chunk.tokens, 'tokens');
    return writer.tag(1, bytesType).fork().tag(1, bytesType).bytes(tokens).join();
  }
  writer.tag(2, bytesType).fork().tag(1, bytesType).bytes(chunk.image).tag(2, bytesType).string(chunk.format);
  if (chunk.expectedTokens !== undefined) writer.tag(3, varint).int32(chunk.expectedTokens);
  return writer.join();
}

function writeTensor(writer: BinaryWriter, name: string, { type, values }: WireTensor): BinaryWriter {
  writer
    .tag(1, bytesType)
    .bytes(bytesOf(type, values, name))
    .tag(3, varint)
    .int32(typeIds[type]);
  return writer.tag(4, bytesType).fork().int64(values.length).join();
}

/** @throws GyreError `bad_input` for malformed bytes, sparse tensors, and types other than f32 and i64. */
export function decodeRequest(bytes: Uint8Array): ForwardBackwardRequest {
  let [modelId, seqId, loss, forwardOnly] = ['', 0, '', false];
  const data: WireDatum[] = [];
  const lossConfig = new Map<string, number>();
  const parts = new PartCount();
  readMessage(bytes, {
    1: [bytesType, (reader) => (modelId = reader.string(true))],
    2: [varint, (reader) => (seqId = reader.int32())],
    3: [bytesType, (reader) => data.push(readDatum(reader.bytes(), parts))],
    4: [bytesType, (reader) => (loss = reader.string(true))],
    5: [bytesType, (reader) => readEntry(reader, parts, (name, value) => lossConfig.set(name, value))],
    6: [varint, (reader) => (forwardOnly = reader.bool())],
  });
  return { modelId, seqId, data, loss, lossConfig, forwardOnly };
}

/** Reads an entry of `map<string, double>`. */
export function readEntry(reader: BinaryReader, parts: PartCount, take: (name: string, value: number) => void): void {
  parts.add();
  let [name, value] = ['', 0];
  readMessage(reader.bytes(), {
    1: [bytesType, (entry) => (name = entry.string(true))],
    2: [double, (entry) => (value = entry.double())],
  });
  take(name, value);
}

function readDatum(bytes: Uint8Array, parts: PartCount): WireDatum {
  parts.add();
  const chunks: WireChunk[] = [];
  const inputs = new Map<string, WireTensor>();
  readMessage(bytes, {
    1: [bytesType, (reader) => chunks.push(readChunk(reader.bytes(), parts))],
    2: [bytesType, (reader) => inputs.set(...readInput(reader.bytes(), parts))],
  });
  return { chunks, inputs };
}

function readChunk(bytes: Uint8Array, parts: PartCount): WireChunk {
  parts.add();
  let chunk: WireChunk | undefined;
  readMessage(bytes, {
    1: [bytesType, (reader) => (chunk = { tokens: readTokens(reader.bytes()) })],
    2: [bytesType, (reader) => (chunk = readImage(reader.bytes()))],
  });
  return chunk ?? refuse('a chunk has neither encoded_text nor image');
}

function readTokens(bytes: Uint8Array): number[] {
  let tokens: number[] = [];
  readMessage(bytes, { 1: [bytesType, (reader) => (tokens = numbersOf('i32', reader.bytes()))] });
  return tokens;
}

function readImage(bytes: Uint8Array): WireChunk {
  let [image, format]: [Uint8Array, string] = [new Uint8Array(), ''];
  let expectedTokens: number | undefined;
  readMessage(bytes, {
    1: [bytesType, (reader) => (image = reader.bytes())],
    2: [bytesType, (reader) => (format = reader.string(true))],
    3: [varint, (reader) => (expectedTokens = reader.int32())],
  });
  return { image, format, expectedTokens };
}

function readInput(bytes: Uint8Array, parts: PartCount): [string, WireTensor] {
  parts.add();
  let name = '';
  let tensor: WireTensor | undefined;
  readMessage(bytes, {
    1: [bytesType, (reader) => (name = reader.string(true))],
    2: [bytesType, (reader) => (tensor = readTensor(reader.bytes()))],
  });
  return [name, tensor ?? refuse(`the input ${name} has no tensor`)];
}

function readTensor(bytes: Uint8Array): WireTensor {
  let [dense, typeId]: [Uint8Array, number] = [new Uint8Array(), 0];
  let size: number | undefined;
  const take = (reader: BinaryReader) => (size = (size ?? 1) * Number(reader.int64()));
  readMessage(bytes, {
    1: [bytesType, (reader) => (dense = reader.bytes())],
    2: [bytesType, () => refuse('sparse tensors are not supported')],
    3: [varint, (reader) => (typeId = reader.int32())],
    4: [
      bytesType,
      (reader) => {
        const packed = new BinaryReader(reader.bytes());
        while (packed.pos < packed.len) take(packed);
      },
    ],
  });
  const type = typeId === 1 ? 'f32' : typeId === 2 ? 'i64' : refuse(`a tensor has the type ${typeId}, not f32 or i64`);
  const values = numbersOf(type, dense);
  if (size !== undefined && size !== values.length)
    refuse(`a tensor of ${values.length} numbers has a shape of ${size}`);
  return { type, values };
}

function refuse(reason: string): never {
  throw malformed(reason);
}
