import type { HalfType } from '@gyre/engine';
import { optionalOneOf } from './flag.js';

const types = { f16: 'F16', bf16: 'BF16' } as const satisfies Record<string, HalfType>;

export const halfFlag = optionalOneOf(['f16', 'bf16'], 'store the weights in half precision');

export function halfType(typed: keyof typeof types | undefined): HalfType | undefined {
  return typed && types[typed];
}
