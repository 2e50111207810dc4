import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decrypt, encrypt } from './cipher.js';

/** Lone surrogates have no UTF-8. */
const text = fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed());

test('what is encrypted with a canary decrypts with it', () => {
  fc.assert(fc.property(text, text, (plain, canary) => decrypt(encrypt(plain, canary), canary) === plain));
});

test('text longer than the key is masked by repeating it', () => {
  // Zeros become the key.
  const key = Buffer.from(encrypt('\0'.repeat(32), 'BrowseComp'), 'base64');
  expect(key).toEqual(createHash('sha256').update('BrowseComp').digest());
  expect(key.toString('hex')).toBe(
    Buffer.from(encrypt('\0'.repeat(64), 'BrowseComp'), 'base64')
      .subarray(32)
      .toString('hex'),
  );
  expect(encrypt('', 'x')).toBe('');
});

test('decryption refuses or returns text, whatever it reads', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), text, (sealed, canary) => {
      try {
        expect(encrypt(decrypt(sealed, canary), canary)).toBe(Buffer.from(sealed, 'base64').toString('base64'));
      } catch (error) {
        expect(error).toMatchObject({ code: 'bad_input', detail: { field: '--browsecomp' } });
      }
    }),
  );
});

test.each(['x', 'a b=', 'AAA', '/w==='])('%j is not in base64', (sealed) => {
  expect(() => decrypt(sealed, 'BrowseComp')).toThrow('base64');
});

test('another canary does not decrypt a question', () => {
  expect(() => decrypt(encrypt('那一年是哪一年？', 'BrowseComp-ZH'), 'BrowseComp')).toThrow('canary');
});
