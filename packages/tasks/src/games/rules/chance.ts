/** mulberry32 (Tommy Ettinger, public domain), for streams kept in a state. */
export function drawFrom(seed: number): { readonly value: number; readonly next: number } {
  const next = (seed + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(next ^ (next >>> 15), next | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return { value: ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32, next };
}
