import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';

/** Precedes the body's SHA-256 and the picture's length. */
const magic = Buffer.from('gyre-ct1');
const headLength = magic.length + 32 + 4;

/** A picture with its labels. */
interface LabelledPicture<Labels> {
  readonly png: Uint8Array;
  readonly labels: Labels;
}

const digest = (body: Uint8Array): Buffer => createHash('sha256').update(body).digest();

/** Packs a rendered sheet into a file. */
export function packSheet({ png, labels }: LabelledPicture<unknown>): Buffer {
  const body = Buffer.concat([png, gzipSync(JSON.stringify(labels))]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(png.length);
  return Buffer.concat([magic, digest(Buffer.concat([length, body])), length, body]);
}

/** Throws for a damaged file. */
export function unpackSheet<Labels>(file: Buffer): LabelledPicture<Labels> {
  const sum = file.subarray(magic.length, magic.length + 32);
  const rest = file.subarray(magic.length + 32);
  if (file.length < headLength || !file.subarray(0, magic.length).equals(magic) || !digest(rest).equals(sum))
    throw new Error('the file is incomplete or damaged');
  const length = rest.readUInt32LE(0);
  const body = rest.subarray(4);
  return {
    png: body.subarray(0, length),
    labels: JSON.parse(gunzipSync(body.subarray(length)).toString()) as Labels,
  };
}
