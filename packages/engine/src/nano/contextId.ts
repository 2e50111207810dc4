import type { ContextToken } from './context.js';

// More than there are: a screen has at most 131,072 cells, the vocabulary 1,270 tokens without them, the context 40 slots and 7 ages.
const [tokens, slots, roles] = [2 ** 18, 2 ** 6, 2 ** 13];

/**
 * Returns a context token as one id: token, slot, role and age are its digits. Slot, role and age do not follow from the tokens around it:
 * quotation marks and the bounds of turns are no tokens. A token without them is its own id.
 */
export function contextId({ token, slot, role, age }: ContextToken): number {
  return token + tokens * (slot + slots * (role + roles * age));
}

export function contextTokenOf(id: number): ContextToken {
  const [slotUp, roleUp] = [Math.floor(id / tokens), Math.floor(id / (tokens * slots))];
  return { token: id % tokens, slot: slotUp % slots, role: roleUp % roles, age: Math.floor(roleUp / roles) };
}
