import fc from 'fast-check';
import { expect, test } from 'vitest';
import { promptBody, promptPicture } from './promptPicture.js';

const png = fc.uint8Array({ maxLength: 40 });
const text = fc.string({ unit: 'binary' });

test('writes a prompt as JSON does', () => {
  const part = fc.oneof(
    text.map((text) => ({ type: 'text', text })),
    png.map(promptPicture),
  );
  const messages = fc.array(fc.record({ role: text, content: fc.oneof(text, fc.array(part)) }));
  fc.assert(
    fc.property(messages, (messages) => {
      const body = { model: 'a "model"', messages, seed: 7 };
      expect(new TextDecoder().decode(promptBody(body))).toBe(JSON.stringify(body));
    }),
  );
});

test('holds the picture, also where it stands twice', () => {
  const part = promptPicture(new Uint8Array([1, 2, 3]));
  expect(part.image_url.url).toBe('data:image/png;base64,AQID');
  expect(JSON.parse(new TextDecoder().decode(promptBody([part, part])))).toEqual([
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
  ]);
});
