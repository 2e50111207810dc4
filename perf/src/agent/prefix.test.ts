import type { ChatMessage } from '@gyre/engine';
import { expect, test } from 'vitest';
import { prefixShares } from './prefix.js';

const text = (content: string): ChatMessage => ({ role: 'user', content });
const picture = (url: string): ChatMessage => ({ role: 'user', content: [{ type: 'image_url', image_url: { url } }] });

test('what a prompt shares with the one before it is counted from the beginning, and a picture as a whole', () => {
  const row = prefixShares(
    [
      [text('abcdef')],
      // 10 previous characters, role included, of 30.
      [text('abcdef'), picture('one')],
      // "user" and "abc" of 30.
      [text('abcxyz'), picture('one')],
      // "user", the text and "user" of 30.
      [text('abcxyz'), picture('two')],
    ],
    16,
  );
  expect(row.prompts).toBe(4);
  expect(row.rewritten).toBe(2);
  expect(row.between).toBeCloseTo(10 / 30);
  expect(row.atRewrites).toBeCloseTo((7 / 30 + 14 / 30) / 2);
  expect(row.all).toBeCloseTo((10 + 7 + 14) / 90);
});
