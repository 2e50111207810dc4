import type { Oracle } from './policy.js';

/** Plays scripted solutions. */
export const oraclePolicy: Oracle = {
  name: 'oracle',
  solve: (solution) => solution.oracle(),
};
