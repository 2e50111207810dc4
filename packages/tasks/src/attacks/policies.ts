import type { PolicyAttack } from './attack.js';

/** Attacks by policies that play without looking. */

const anywhere = ['page', 'browser machine', 'desktop'] as const;

/** Machines wait in real time, so they get fewer turns and shorter ones. */
const idleTurns = { page: 20, machine: 4 };
const idleSeconds = { page: 1, machine: 0.25 };

export const policyAttacks: readonly PolicyAttack[] = [
  {
    name: 'nothing is done until the step budget ends',
    on: anywhere,
    turns: async ({ stepBudget }, surface) => {
      const kind = surface === 'page' ? 'page' : 'machine';
      const turn = [{ type: 'wait', seconds: idleSeconds[kind] } as const];
      return Array.from({ length: Math.min(stepBudget, idleTurns[kind]) }, () => turn);
    },
  },
  { name: 'the end at once, without an answer', on: anywhere, turns: async () => [] },
];
