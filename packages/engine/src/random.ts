import { GyreError } from '@gyre/protocol';

/** Portable seeded generator: xoshiro128** 1.1 (Blackman and Vigna 2018), seeded by splitmix32. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number) {
    if (!Number.isFinite(seed))
      throw new GyreError('bad_input', `the seed ${seed} is not finite`, { field: 'seed', fix: 'use a finite number' });
    const bits = new Uint32Array(Float64Array.of(seed).buffer);
    let mixed = (bits[0]! ^ Math.imul(bits[1]!, 0x9e3779b1)) >>> 0;
    const word = () => {
      mixed = (mixed + 0x9e3779b9) >>> 0;
      return mix(mixed);
    };
    this.#a = word();
    this.#b = word();
    this.#c = word();
    this.#d = word();
  }

  static from(state: readonly number[]): Random {
    const whole = state.length === 4 && state.every((word) => Number.isInteger(word) && word >= 0 && word < 2 ** 32);
    if (!whole || state.every((word) => word === 0)) {
      throw new GyreError('bad_input', 'the generator state is invalid', {
        field: 'state',
        fix: 'pass the result of state()',
      });
    }
    const random = new Random(0);
    [random.#a, random.#b, random.#c, random.#d] = state as [number, number, number, number];
    return random;
  }

  state(): number[] {
    return [this.#a, this.#b, this.#c, this.#d];
  }

  #word(): number {
    const times5 = Math.imul(this.#b, 5);
    const result = Math.imul((times5 << 7) | (times5 >>> 25), 9) >>> 0;
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b = (this.#b ^ this.#c) >>> 0;
    this.#a = (this.#a ^ this.#d) >>> 0;
    this.#c = (this.#c ^ shifted) >>> 0;
    this.#d = ((this.#d << 11) | (this.#d >>> 21)) >>> 0;
    return result;
  }

  /** Returns a uniform number in [0, 1) with 53 random bits. */
  next(): number {
    return ((this.#word() >>> 5) * 2 ** 26 + (this.#word() >>> 6)) / 2 ** 53;
  }

  /** Returns a uniform integer in [0, n), n at most 2^32. */
  int(n: number): number {
    if (!Number.isInteger(n) || n < 1 || n > 2 ** 32) {
      throw new GyreError('bad_input', `cannot draw from ${n} numbers`, {
        field: 'n',
        fix: 'use a whole number from 1 to 2^32',
      });
    }
    // Words above the last multiple of n would bias the result.
    const limit = 2 ** 32 - (2 ** 32 % n);
    let word = this.#word();
    while (word >= limit) word = this.#word();
    return word % n;
  }

  /** Box and Muller 1958. */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    return radius * Math.cos(2 * Math.PI * this.next());
  }

  shuffle<T>(array: T[]): T[] {
    for (let last = array.length - 1; last > 0; last--) {
      const swapIndex = this.int(last + 1);
      [array[last], array[swapIndex]] = [array[swapIndex]!, array[last]!];
    }
    return array;
  }

  /**
   * Derives a generator from state and label without advancing this one: until the next draw, equal labels give equal
   * generators.
   */
  fork(label: string): Random {
    const bytes = Buffer.concat([Buffer.from(Uint32Array.from(this.state()).buffer), Buffer.from(label)]);
    // FNV-1a with a different basis for each state word.
    const word = (salt: number) =>
      mix(bytes.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5 + salt));
    return Random.from([word(0), word(0x9e3779b9), word(0x3c6ef372), word(0xdaa66d2b)]);
  }
}

/** MurmurHash3's finalizer. */
function mix(word: number): number {
  let z = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return (z ^ (z >>> 16)) >>> 0;
}
