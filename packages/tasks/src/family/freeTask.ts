import type { Size, Task } from '@gyre/protocol';
import { randomUUID } from 'node:crypto';

export const freeFamily = 'free';

/** Such a task has no verifier, so episodes have no verdict. */
export function freeTask(instruction: string, screen: Size, stepBudget: number, seed: number): Task {
  const id = `${freeFamily}/dev/${randomUUID()}`;
  return { id, family: freeFamily, split: 'dev', seed, instruction, surfaces: ['screen'], screen, stepBudget };
}
