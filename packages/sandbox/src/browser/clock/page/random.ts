import { defineMethods, methodOf } from './define.js';

export type Fill = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;

export function setRandomness(seed: number): Fill {
  const random = mulberry32(seed);
  defineMethods(Math, { random: () => random() });
  const next = mulberry32(seed ^ 0x9e3779b9);
  const fill: Fill = (bytes) => {
    for (let index = 0; index < bytes.length; index++) bytes[index] = Math.floor(next() * 256);
    return bytes;
  };
  const getRandomValues = methodOf(Crypto.prototype, 'getRandomValues');
  defineMethods(Crypto.prototype, {
    getRandomValues(this: Crypto, array: Uint8Array<ArrayBuffer>) {
      // Validates the argument.
      getRandomValues.call(this, array);
      fill(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
      return array;
    },
  });
  return fill;
}

export function setIdentifiers(fill: Fill): void {
  if ('randomUUID' in Crypto.prototype) {
    defineMethods(Crypto.prototype, {
      randomUUID() {
        const bytes = fill(new Uint8Array(16));
        bytes[6] = (bytes[6]! & 0x0f) | 0x40;
        bytes[8] = (bytes[8]! & 0x3f) | 0x80;
        const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
        return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
      },
    });
  }
  if (!('SubtleCrypto' in window)) return;
  // Symmetric keys are random bytes.
  const generate = methodOf(SubtleCrypto.prototype, 'generateKey') as (...args: unknown[]) => Promise<unknown>;
  defineMethods(SubtleCrypto.prototype, {
    async generateKey(this: SubtleCrypto, algorithm: KeyTerms, extractable: boolean, usages: KeyUsage[]) {
      const key = await generate.call(this, algorithm, extractable, usages);
      if (!/^(AES|HMAC)/.test(algorithmName(algorithm))) return key;
      const bits = algorithm.length ?? blockBits[algorithmName(algorithm.hash)] ?? 512;
      const bytes = fill(new Uint8Array(bits / 8));
      return this.importKey('raw', bytes, algorithm as HmacImportParams, extractable, usages);
    },
  });
}

interface KeyTerms {
  readonly length?: number;
  readonly hash?: unknown;
}

const blockBits: Readonly<Record<string, number>> = { 'SHA-1': 512, 'SHA-256': 512, 'SHA-384': 1024, 'SHA-512': 1024 };

export function algorithmName(algorithm: unknown): string {
  return String((algorithm as { readonly name?: unknown } | undefined)?.name ?? algorithm).toUpperCase();
}

/** mulberry32 (Tommy Ettinger, public domain). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
