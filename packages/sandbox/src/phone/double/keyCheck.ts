import { constants, createPublicKey, publicDecrypt, randomBytes, type KeyObject } from 'node:crypto';

/** adb treats the token as a SHA-1, which has the same length. */
const tokenLength = 20;

/** PKCS #1. */
const sha1Prefix = Buffer.from('3021300906052b0e03021a05000414', 'hex');

/** The computer signs a random token with an allowed key. */
export class KeyCheck {
  readonly token = randomBytes(tokenLength);
  readonly #allowed: KeyObject[];

  /** @param allowed extended by newly allowed keys. */
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

/** Parses base64 of word count, an unused number, modulus, rr and exponent; then a name. */
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
