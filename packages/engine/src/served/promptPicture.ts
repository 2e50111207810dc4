import { randomUUID } from 'node:crypto';
import type { ChatCompletionContentPartImage } from 'openai/resources/chat/completions';

/** Pictures by what stands for them in a message, as JSON. */
const encoded = new WeakMap<object, Buffer>();

/**
 * A PNG as a part of a message. It is encoded once, however many prompts it stands in: a picture that is shown again is to be made once
 * and kept.
 */
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

/** Stands for a picture while the rest is written; no text can be it, for nobody knows it. */
const mark = randomUUID();

/**
 * JSON in UTF-8, as `JSON.stringify` gives it. Of a prompt with screenshots nearly all is the pictures: they are copied, and not looked
 * through in each prompt for what might have to be escaped.
 */
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
