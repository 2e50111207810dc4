import fc from 'fast-check';
import { expect, test } from 'vitest';
import { html } from './markup.js';

const attack = fc.constantFrom(
  ...['\x1b[2J\x1b[H', '\x1b]0;owned\x07', '\x9b2J', '\0', '\u202e', '\u2066', '\u200b', '\u{e0041}', '\ud800'],
  ...['<script>', '"onload="', "'", '&lt;', '--><b>', '\n</p>'],
);
const hostile = fc
  .array(fc.oneof(attack, fc.string({ unit: 'binary' })), { maxLength: 8 })
  .map((parts) => parts.join(''));
const hidden = /(?!\n)[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]|[\u{e0000}-\u{e0fff}]/u;

test('HTML holds no markup of a text, and nothing hidden', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const page = html`<p title="${text}">${text}</p>`.text;
      expect(page).not.toMatch(hidden);
      expect(page.match(/[<>]/g)).toHaveLength(4);
      expect(page.match(/"/g)).toHaveLength(2);
    }),
    { numRuns: 2_000 },
  );
});
