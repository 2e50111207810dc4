import type { Oracle } from './policy.js';

/** Plays scripted solutions: for demonstrations, and to prove that tasks are solvable. */
export const oraclePolicy: Oracle = {
  name: 'oracle',
  solve: (solution) => solution.oracle(),
};
