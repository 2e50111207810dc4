/** Decodes the part of MessagePack that vLLM uses. Binary data is skipped: its values are undefined. */
class MessagePack {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** @throws RangeError for other data */
  value(): unknown {
    const head = this.#unsigned(1);
    if (head < 0x80) return head;
    if (head < 0x90) return this.#map(head & 15);
    if (head < 0xa0) return this.#list(head & 15);
    if (head < 0xc0) return this.#text(head & 31);
    if (head >= 0xe0) return head - 256;
    if (head >= 0xd4 && head <= 0xd8) return this.#skip(1 + 2 ** (head - 0xd4));
    return this.#rare(head);
  }

  #rare(head: number): unknown {
    const width = 2 ** (head & 3);
    switch (head) {
      case 0xc0:
        return null;
      case 0xc2:
      case 0xc3:
        return head === 0xc3;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.#skip(this.#unsigned(width));
      case 0xc7:
      case 0xc8:
      case 0xc9:
        return this.#skip(1 + this.#unsigned(2 ** (head - 0xc7)));
      case 0xca:
        return this.#skip(4);
      case 0xcb:
      case 0xcf:
      case 0xd3:
        return this.#skip(8);
      case 0xcc:
      case 0xcd:
      case 0xce:
      case 0xd0:
      case 0xd1:
      case 0xd2:
        return this.#unsigned(width);
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#unsigned(2 ** (head - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.#list(this.#unsigned(2 * (head - 0xdb)));
      case 0xde:
      case 0xdf:
        return this.#map(this.#unsigned(2 * (head - 0xdd)));
      default:
        throw new RangeError(`no value begins with ${head}`);
    }
  }

  #list(length: number): unknown[] {
    const values: unknown[] = [];
    for (let i = 0; i < length; i++) values.push(this.value());
    return values;
  }

  #map(length: number): Map<unknown, unknown> {
    const entries = new Map<unknown, unknown>();
    for (let i = 0; i < length; i++) entries.set(this.value(), this.value());
    return entries;
  }

  #text(length: number): string {
    const from = this.#position;
    this.#skip(length);
    return this.#bytes.toString('utf8', from, this.#position);
  }

  #unsigned(length: number): number {
    const from = this.#position;
    this.#skip(length);
    return this.#bytes.readUIntBE(from, length);
  }

  #skip(length: number): undefined {
    this.#position += length;
    if (this.#position > this.#bytes.length) throw new RangeError('the data ends early');
    return undefined;
  }
}

/**
 * Reads the type of a rendered picture's pixels, such as `float32`, or `uint8` where vLLM normalises them on its device.
 * vLLM 0.30 sends MessagePack: fields by name, or a list of fields with a `key`, whose `data` is
 * `[type, shape, bytes]` (`vllm/v1/serial_utils.py`).
 *
 * @param data of a `PictureFeature`, in base64
 * @returns undefined for any other form
 */
export function pixelType(data: string): string | undefined {
  let item: unknown;
  try {
    item = new MessagePack(Buffer.from(data, 'base64')).value();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  const fields = Array.isArray(item) ? (item as unknown[]) : [];
  const named = item instanceof Map ? (item as Map<unknown, unknown>).get('pixel_values') : undefined;
  const field = named ?? fields.find((each) => each instanceof Map && each.get('key') === 'pixel_values');
  const tensor: unknown = field instanceof Map ? field.get('data') : undefined;
  const [type, shape] = Array.isArray(tensor) ? (tensor as unknown[]) : [];
  return typeof type === 'string' && Array.isArray(shape) ? type.replace(/^torch\./, '') : undefined;
}
