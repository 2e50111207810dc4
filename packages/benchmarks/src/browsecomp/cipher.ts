import { createHash } from 'node:crypto';
import { GyreError } from '@gyre/protocol';

/** XORs with the SHA-256 of the canary, repeated. */
function mask(bytes: Uint8Array, canary: string): Uint8Array {
  const key = createHash('sha256').update(canary, 'utf8').digest();
  return bytes.map((byte, index) => byte ^ key[index % key.length]!);
}

/** Encrypts text as BrowseComp publishes it: UTF-8, masked by the canary, in base64. */
export const encrypt = (text: string, canary: string): string =>
  Buffer.from(mask(Buffer.from(text, 'utf8'), canary)).toString('base64');

/** Throws `bad_input` for text that was not encrypted with the canary. */
export function decrypt(text: string, canary: string): string {
  const refuse = (problem: string) =>
    new GyreError('bad_input', `a question of BrowseComp ${problem}`, {
      field: '--browsecomp',
      fix: 'use the official file as it is',
    });
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) throw refuse('is not in base64');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(mask(Buffer.from(text, 'base64'), canary));
  } catch {
    throw refuse('does not decrypt with its canary');
  }
}
