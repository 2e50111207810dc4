import type { ContextToken } from './context.js';

// Upper bounds: at most 131,072 cells and 1,270 other tokens.
const [tokens, slots, roles] = [2 ** 18, 2 ** 6, 2 ** 13];

/**
 * Packs a token into one id, since slot, role and age cannot be derived from its neighbours: quotation marks and turn
 * boundaries are not tokens.
 */
export function contextId({ token, slot, role, age }: ContextToken): number {
  return token + tokens * (slot + slots * (role + roles * age));
}

export function contextTokenOf(id: number): ContextToken {
  const [slotUp, roleUp] = [Math.floor(id / tokens), Math.floor(id / (tokens * slots))];
  return { token: id % tokens, slot: slotUp % slots, role: roleUp % roles, age: Math.floor(roleUp / roles) };
}
