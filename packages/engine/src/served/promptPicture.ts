import { randomUUID } from 'node:crypto';
import type { ChatCompletionContentPartImage } from 'openai/resources/chat/completions';

const encoded = new WeakMap<object, Buffer>();

/** Encodes once: reuse the part. */
export function promptPicture(png: Uint8Array): ChatCompletionContentPartImage {
  const base64 = Buffer.from(png.buffer, png.byteOffset, png.byteLength).toString('base64');
  const json = Buffer.from(`"data:image/png;base64,${base64}"`, 'latin1');
  const image = {
    get url(): string {
      return json.toString('latin1', 1, json.length - 1);
    },
  };
  encoded.set(image, json);
  return { type: 'image_url', image_url: image };
}

/** Replaces a picture during stringification; random, so that no text contains it. */
const mark = randomUUID();

/** Returns `JSON.stringify` in UTF-8, copying pictures without escaping. */
export function promptBody(body: object): Uint8Array<ArrayBuffer> {
  const pictures: Buffer[] = [];
  const text = JSON.stringify(body, (_, value: unknown) => {
    const picture = typeof value === 'object' && value !== null ? encoded.get(value) : undefined;
    if (!picture) return value;
    pictures.push(picture);
    return { url: mark };
  });
  const [first = '', ...others] = text.split(`"${mark}"`);
  return Buffer.concat([Buffer.from(first), ...others.flatMap((rest, index) => [pictures[index]!, Buffer.from(rest)])]);
}
