/** Field numbers of ONNX's ModelProto and StringStringEntryProto. */
const metadataProps = 14;
const [entryKey, entryValue] = [1, 2];

/**
 * Reads the metadata of an ONNX model, which onnxruntime-node does not expose. Returns undefined if the bytes are no
 * protocol buffer.
 */
export function modelMetadata(model: Uint8Array): ReadonlyMap<string, string> | undefined {
  const metadata = new Map<string, string>();
  try {
    for (const { field, bytes } of fields(model)) {
      if (field !== metadataProps) continue;
      const entry = new Map(fields(bytes).map(({ field, bytes }) => [field, Buffer.from(bytes).toString('utf8')]));
      metadata.set(entry.get(entryKey) ?? '', entry.get(entryValue) ?? '');
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return metadata;
}

/** Lists the length-delimited fields of a message. */
function fields(message: Uint8Array): { field: number; bytes: Uint8Array }[] {
  const delimited: { field: number; bytes: Uint8Array }[] = [];
  let offset = 0;
  const take = (length: number): Uint8Array => {
    if (offset + length > message.length) throw new RangeError('the message is cut off');
    offset += length;
    return message.subarray(offset - length, offset);
  };
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = take(1)[0]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (offset < message.length) {
    const tag = varint();
    const wireType = tag % 8;
    if (wireType === 0) varint();
    else if (wireType === 1) take(8);
    else if (wireType === 2) delimited.push({ field: Math.floor(tag / 8), bytes: take(varint()) });
    else if (wireType === 5) take(4);
    else throw new RangeError(`there is no wire type ${wireType}`);
  }
  return delimited;
}
