import type { TaskRun } from '@gyre/agent';
import { GyreError, type Size, type Task } from '@gyre/protocol';
import { randomUUID } from 'node:crypto';

/** What such tasks have in the place of a family. */
export const freeFamily = 'free';

/** What somebody wants done somewhere, as a task. Nothing tells whether it was done: such episodes have no verdict. */
export function freeTask(instruction: string, screen: Size, stepBudget: number, seed: number): Task {
  const id = `${freeFamily}/dev/${randomUUID()}`;
  return { id, family: freeFamily, split: 'dev', seed, instruction, surfaces: ['screen'], screen, stepBudget };
}

/** A task without rewards, verifier or solution: it ends when the policy says so, or its turns do. */
export const freeRun: TaskRun = {
  step: () => Promise.resolve({ reward: 0, done: false }),
  verdict: () => Promise.resolve(undefined),
  oracle: () => {
    const fix = 'let a model act, or name a task of `gyre tasks list`';
    return Promise.reject(
      new GyreError('bad_input', 'an instruction has no scripted solution', { field: '--policy', fix }),
    );
  },
};
