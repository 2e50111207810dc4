import type { Size, Task } from '@gyre/protocol';
import { randomUUID } from 'node:crypto';

export const freeFamily = 'free';

/** Wraps an instruction as a task without a verifier, so without a verdict. */
export function freeTask(instruction: string, screen: Size, stepBudget: number, seed: number): Task {
  const id = `${freeFamily}/dev/${randomUUID()}`;
  return { id, family: freeFamily, split: 'dev', seed, instruction, surfaces: ['screen'], screen, stepBudget };
}
