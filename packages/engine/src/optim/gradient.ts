import { GyreError } from '@gyre/protocol';

export function accumulate(into: Float32Array, from: Float32Array): void {
  if (into.length !== from.length) {
    throw new GyreError('shape', `the gradient has ${from.length} values, not ${into.length}`, {
      field: 'gradient',
    });
  }
  // Unrolled by four: the loop costs as much as the addition.
  const whole = into.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    into[i]! += from[i]!;
    into[i + 1]! += from[i + 1]!;
    into[i + 2]! += from[i + 2]!;
    into[i + 3]! += from[i + 3]!;
  }
  for (let i = whole; i < into.length; i++) into[i]! += from[i]!;
}
