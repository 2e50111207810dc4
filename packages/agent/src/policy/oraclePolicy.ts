import type { Oracle } from './policy.js';

/** Plays every task's scripted solution, turn by turn: demonstrations, and the proof that a task can be solved. */
export const oraclePolicy: Oracle = {
  name: 'oracle',
  solve: (solution) => solution.oracle(),
};
