import { constants, createPublicKey, publicDecrypt, randomBytes, type KeyObject } from 'node:crypto';

/** Length of what has to be signed; also that of a SHA-1, for which adb lets it pass. */
const tokenLength = 20;

/** Prefix of a SHA-1 in PKCS #1. */
const sha1Prefix = Buffer.from('3021300906052b0e03021a05000414', 'hex');

/** Whether a computer may use the double: it has to sign a random token by a key that was allowed, as on a phone. */
export class KeyCheck {
  readonly token = randomBytes(tokenLength);
  readonly #allowed: KeyObject[];

  /** @param allowed keys; grows by those that are allowed now. */
  constructor(allowed: KeyObject[]) {
    this.#allowed = allowed;
  }

  accepts(signature: Buffer): boolean {
    const expected = Buffer.concat([sha1Prefix, this.token]);
    return this.#allowed.some((key) => {
      try {
        return publicDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, signature).equals(expected);
      } catch {
        return false;
      }
    });
  }

  allow(offered: Buffer): void {
    this.#allowed.push(publicKeyOf(offered));
  }
}

/** Reads a key as adb sends it: base64 of the number of words, a number of no use here, modulus, rr and exponent; a name. */
function publicKeyOf(offered: Buffer): KeyObject {
  const [encoded = ''] = offered.toString('latin1').split(/[\s\0]/);
  const bytes = Buffer.from(encoded, 'base64');
  const length = bytes.readUInt32LE(0) * 4;
  const modulus = Buffer.from(bytes.subarray(8, 8 + length)).reverse();
  const exponent = Buffer.alloc(4);
  exponent.writeUInt32BE(bytes.readUInt32LE(8 + 2 * length));
  const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e: exponent.subarray(1).toString('base64url') };
  return createPublicKey({ key: jwk, format: 'jwk' });
}
