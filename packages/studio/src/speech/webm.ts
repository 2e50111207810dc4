import { GyreError } from '@gyre/protocol';

/** Element ids, as they are stored. */
const ids = {
  ...{ ebml: 0x1a45dfa3, segment: 0x18538067, info: 0x1549a966, scale: 0x2ad7b1, tracks: 0x1654ae6b },
  ...{ track: 0xae, codec: 0x86, cluster: 0x1f43b675, time: 0xe7, simpleBlock: 0xa3, group: 0xa0, block: 0xa1 },
  ...{ muxer: 0x4d80, writer: 0x5741, duration: 0x4489 },
};
const containers: ReadonlySet<number> = new Set([ids.segment, ids.cluster, ids.group, ids.info]);

/** A cluster's blocks have times of 16 bits, in ms. */
const clusterMs = 30_000;

interface Packet {
  readonly ms: number;
  /** The block after its time: flags, then one Opus packet. */
  readonly data: Uint8Array;
  /** Track number, as stored. */
  readonly track: Uint8Array;
}

interface WebmAudio {
  readonly durationMs: number;
  /** The element as recorded. */
  readonly tracks: Uint8Array;
  readonly packets: readonly Packet[];
}

/**
 * Reads a recording of a browser: WebM with one track of Opus. An incomplete end is left out.
 *
 * @throws GyreError `bad_input` for anything else
 */
export function readWebm(bytes: Uint8Array): WebmAudio {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const packets: Packet[] = [];
  let tracks: Uint8Array | undefined;
  let scale = 1_000_000;
  let cluster = 0;
  for (let offset = 0; offset < bytes.length;) {
    const element = elementAt(bytes, offset);
    if (!element) break;
    const { id, from, to } = element;
    if (offset === 0 && id !== ids.ebml) break;
    if (containers.has(id)) {
      offset = from;
      continue;
    }
    if (to === undefined || to > bytes.length) break;
    if (id === ids.tracks) tracks = bytes.slice(offset, to);
    else if (id === ids.scale) scale = unsigned(bytes, from, to);
    else if (id === ids.time) cluster = unsigned(bytes, from, to);
    else if (id === ids.simpleBlock || id === ids.block) {
      const track = lengthOf(bytes[from] ?? 0);
      const start = from + track;
      if (track > 0 && start + 3 < to)
        packets.push({
          ms: ((cluster + view.getInt16(start)) * scale) / 1e6,
          data: bytes.slice(start + 2, to),
          track: bytes.slice(from, start),
        });
    }
    offset = to;
  }
  const last = packets.at(-1);
  if (!tracks || !last || !isOpus(tracks)) {
    throw new GyreError('bad_input', 'it is not a recording in WebM with Opus', {
      field: 'audio',
      fix: 'record it by the studio in Chromium, Firefox, or Safari 18.4 and later',
    });
  }
  return { durationMs: last.ms + packetMs(last.data.subarray(1)), tracks, packets };
}

/** A part of a recording, in ms from its start. */
interface WebmPart {
  readonly audio: WebmAudio;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns parts of recordings as one, which begins at 0; undefined if they have no sound. */
export function joinWebm(parts: readonly WebmPart[]): Uint8Array | undefined {
  const within: Packet[] = [];
  let endMs = 0;
  for (const { audio, fromMs, toMs } of parts) {
    const packets = audio.packets.filter(({ ms, data }) => ms + packetMs(data.subarray(1)) > fromMs && ms < toMs);
    const shift = endMs - (packets[0]?.ms ?? 0);
    for (const packet of packets) {
      within.push({ ...packet, ms: packet.ms + shift });
      endMs = packet.ms + shift + packetMs(packet.data.subarray(1));
    }
  }
  const tracks = parts[0]?.audio.tracks;
  if (!tracks || within.length === 0) return undefined;
  const clusters: Uint8Array[] = [];
  let [start, blocks]: [number, Uint8Array[]] = [0, []];
  const close = (): void => {
    clusters.push(element(ids.cluster, element(ids.time, uint(start)), ...blocks));
    blocks = [];
  };
  for (const { ms, data, track } of within) {
    const time = Math.round(ms);
    if (time - start > clusterMs) {
      close();
      start = time;
    }
    const relative = new Uint8Array(2);
    new DataView(relative.buffer).setInt16(0, time - start);
    blocks.push(element(ids.simpleBlock, track, relative, data));
  }
  close();
  const duration = new Uint8Array(8);
  new DataView(duration.buffer).setFloat64(0, endMs);
  const [name, writer] = [element(ids.muxer, text('gyre')), element(ids.writer, text('gyre'))];
  const info = element(ids.info, element(ids.scale, uint(1_000_000)), name, writer, element(ids.duration, duration));
  return joined([header, element(ids.segment, info, tracks, ...clusters)]);
}

interface Element {
  readonly id: number;
  /** Its content. */
  readonly from: number;
  /** Undefined if its size is unknown, as while it is written. */
  readonly to: number | undefined;
}

function elementAt(bytes: Uint8Array, offset: number): Element | undefined {
  const idLength = lengthOf(bytes[offset] ?? 0);
  const sizeLength = lengthOf(bytes[offset + idLength] ?? 0);
  const from = offset + idLength + sizeLength;
  if (idLength === 0 || idLength > 4 || sizeLength === 0 || from > bytes.length) return undefined;
  const id = unsigned(bytes, offset, offset + idLength);
  // Without the bit that marks its length: eight bytes with it are no safe integer.
  let size = (bytes[offset + idLength] ?? 0) - 2 ** (8 - sizeLength);
  for (let i = offset + idLength + 1; i < from; i++) size = size * 256 + (bytes[i] ?? 0);
  return { id, from, to: size === 2 ** (7 * sizeLength) - 1 ? undefined : from + size };
}

/** Returns the length of a number of variable size by its first byte; 0 if it is none. */
const lengthOf = (first: number): number => (first === 0 ? 0 : Math.clz32(first) - 23);

function unsigned(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = value * 256 + (bytes[i] ?? 0);
  return value;
}

const isOpus = (tracks: Uint8Array): boolean => Buffer.from(tracks).includes('A_OPUS');

/** Durations of one frame by the configuration in a packet's first byte (RFC 6716, table 2), in ms. */
const frameMs = [
  [10, 20, 40, 60],
  [10, 20],
  [2.5, 5, 10, 20],
] as const;

/** Returns how long an Opus packet sounds. */
function packetMs(packet: Uint8Array): number {
  const [toc = 0, count = 0] = packet;
  const config = toc >> 3;
  const frame = config < 12 ? frameMs[0][config % 4]! : config < 16 ? frameMs[1][config % 2]! : frameMs[2][config % 4]!;
  const code = toc & 3;
  return frame * (code === 0 ? 1 : code < 3 ? 2 : count & 63);
}

function element(id: number, ...content: readonly Uint8Array[]): Uint8Array {
  const body = joined(content);
  const size = new Uint8Array(8);
  new DataView(size.buffer).setBigUint64(0, BigInt(body.length) | (1n << 56n));
  return joined([uint(id), size, body]);
}

function uint(value: number): Uint8Array {
  const digits: number[] = [];
  for (let rest = value; rest > 0 || digits.length === 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
  return Uint8Array.from(digits);
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

const joined = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** EBML version 1, ids of 4 and sizes of 8 bytes; WebM version 4, readable from 2. */
const header = element(
  ids.ebml,
  ...[element(0x4286, uint(1)), element(0x42f7, uint(1)), element(0x42f2, uint(4)), element(0x42f3, uint(8))],
  ...[element(0x4282, text('webm')), element(0x4287, uint(4)), element(0x4285, uint(2))],
);
