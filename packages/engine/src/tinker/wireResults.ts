import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { readEntry } from './wire.js';
import { bf16NumbersOf, bytesOf, malformed, numbersOf, PartCount, readMessage } from './wireBytes.js';

export interface ForwardBackwardOutput {
  /** `[datum][token]` by name, such as `logprobs`. */
  readonly outputs: ReadonlyMap<string, readonly (readonly number[])[]>;
  readonly metrics: ReadonlyMap<string, number>;
}

export interface WireSequence {
  readonly end: 'stop' | 'length';
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
}

const { LengthDelimited: bytesType, Varint: varint, Bit64: double } = WireType;
const f32 = 1;
/** Readers and bytes per number, by the id of a type. */
const numberTypes: Readonly<Record<number, readonly [(bytes: Uint8Array) => number[], number]>> = {
  1: [(bytes) => numbersOf('f32', bytes), 4],
  2: [(bytes) => numbersOf('i64', bytes), 8],
  3: [(bytes) => numbersOf('i32', bytes), 4],
  4: [bf16NumbersOf, 2],
};

/** Writes all datums as one record, with the byte offsets of their lists. */
export function encodeOutput({ outputs, metrics }: ForwardBackwardOutput): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(1, bytesType).string('ArrayRecord').tag(2, bytesType).fork().tag(1, bytesType).string('ArrayRecord');
  const [first = []] = outputs.values();
  for (const [name, lists] of outputs) {
    const offsets = [0];
    for (const { length } of lists) offsets.push(offsets.at(-1)! + 4 * length);
    writer.tag(2, bytesType).fork().tag(1, bytesType).string(name).tag(2, bytesType).fork();
    writer.tag(1, bytesType).bytes(bytesOf('f32', lists.flat(), name));
    writer
      .tag(2, bytesType)
      .bytes(bytesOf('i64', offsets, name))
      .tag(3, varint)
      .int32(f32)
      .join()
      .join();
  }
  writer.tag(3, varint).int32(first.length).join();
  for (const [name, value] of metrics)
    writer.tag(3, bytesType).fork().tag(1, bytesType).string(name).tag(2, double).double(value).join();
  return writer.finish();
}

/** @throws GyreError `bad_input` for malformed bytes. */
export function decodeOutput(bytes: Uint8Array): ForwardBackwardOutput {
  const outputs = new Map<string, number[][]>();
  const metrics = new Map<string, number>();
  const parts = new PartCount();
  const take = (name: string, lists: readonly number[][]) => {
    const joined = outputs.get(name) ?? [];
    for (const list of lists) joined.push(list);
    outputs.set(name, joined);
  };
  readMessage(bytes, {
    2: [bytesType, (reader) => readRecord(reader.bytes(), parts, take)],
    3: [bytesType, (reader) => readEntry(reader, parts, (name, value) => metrics.set(name, value))],
  });
  return { outputs, metrics };
}

function readRecord(bytes: Uint8Array, parts: PartCount, take: (name: string, lists: number[][]) => void): void {
  parts.add();
  readMessage(bytes, {
    2: [
      bytesType,
      (reader) => {
        parts.add();
        let [name, lists]: [string, number[][]] = ['', []];
        readMessage(reader.bytes(), {
          1: [bytesType, (entry) => (name = entry.string(true))],
          2: [bytesType, (entry) => (lists = readLists(entry.bytes(), parts))],
        });
        take(name, lists);
      },
    ],
  });
}

function readLists(bytes: Uint8Array, parts: PartCount): number[][] {
  let [numbers, offsets, typeId]: [Uint8Array, number[], number] = [new Uint8Array(), [], f32];
  readMessage(bytes, {
    1: [bytesType, (reader) => (numbers = reader.bytes())],
    2: [bytesType, (reader) => (offsets = numbersOf('i64', reader.bytes()))],
    3: [varint, (reader) => (typeId = reader.int32())],
  });
  const [read, width] = numberTypes[typeId] ?? [];
  if (read === undefined || width === undefined) throw malformed(`a result has the unknown type ${typeId}`);
  return offsets.slice(1).map((end, index) => {
    parts.add();
    const start = offsets[index]!;
    const isFit = start >= 0 && end >= start && end <= numbers.length && (end - start) % width === 0;
    if (!isFit) throw malformed('the offsets of a result do not fit');
    return read(numbers.subarray(start, end));
  });
}

/** @param promptLogprobs one for each token of the prompt; NaN for the first. */
export function encodeSequences(
  sequences: readonly WireSequence[],
  promptLogprobs: readonly number[] = [],
): Uint8Array {
  const writer = new BinaryWriter();
  for (const { end, tokens, logprobs } of sequences) {
    writer.tag(1, bytesType).fork();
    if (end === 'length') writer.tag(1, varint).int32(1);
    writer.tag(2, bytesType).bytes(bytesOf('i32', tokens, 'tokens'));
    writer
      .tag(3, bytesType)
      .bytes(bytesOf('f32', logprobs, 'logprobs'))
      .join();
  }
  if (promptLogprobs.length > 0) writer.tag(2, bytesType).bytes(bytesOf('f32', promptLogprobs, 'prompt_logprobs'));
  return writer.finish();
}

/** @throws GyreError `bad_input` for malformed bytes. */
export function decodeSequences(bytes: Uint8Array): WireSequence[] {
  const sequences: WireSequence[] = [];
  const parts = new PartCount();
  readMessage(bytes, { 1: [bytesType, (reader) => sequences.push(readSequence(reader.bytes(), parts))] });
  return sequences;
}

function readSequence(bytes: Uint8Array, parts: PartCount): WireSequence {
  parts.add();
  let [reason, tokens, logprobs] = [0, [] as number[], [] as number[]];
  readMessage(bytes, {
    1: [varint, (reader) => (reason = reader.int32())],
    2: [bytesType, (reader) => (tokens = numbersOf('i32', reader.bytes()))],
    3: [bytesType, (reader) => (logprobs = numbersOf('f32', reader.bytes()))],
  });
  if (reason !== 0 && reason !== 1) throw malformed(`a sequence has the stop reason ${reason}, not 0 or 1`);
  return { end: reason === 0 ? 'stop' : 'length', tokens, logprobs };
}
