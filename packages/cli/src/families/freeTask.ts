import type { Size, Task } from '@gyre/protocol';
import { randomUUID } from 'node:crypto';

/** The family in the task of an instruction. */
export const freeFamily = 'free';

/** Returns a person's instruction as a task. It has no verifier: such episodes have no verdict. */
export function freeTask(instruction: string, screen: Size, stepBudget: number, seed: number): Task {
  const id = `${freeFamily}/dev/${randomUUID()}`;
  return { id, family: freeFamily, split: 'dev', seed, instruction, surfaces: ['screen'], screen, stepBudget };
}
