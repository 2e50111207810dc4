import type { ContextToken } from './context.js';

const [tokens, texts, slots] = [2 ** 18, 2 ** 11, 2 ** 6];
/** Ids of tokens with a slot or a role, which are words and characters, begin here. */
const firstSpelt = 2 ** 21;

/**
 * Packs a token into one id, since slot, role and age cannot be derived from its neighbours: quotation marks and turn
 * boundaries are not tokens. Ids fit into an int32, as Tinker's protocol requires.
 */
export function contextId({ token, slot, role, age }: ContextToken): number {
  if (slot === 0 && role === 0) return token + tokens * age;
  return firstSpelt + token + texts * (slot + slots * (role + texts * age));
}

export function contextTokenOf(id: number): ContextToken {
  if (id < firstSpelt) return { token: id % tokens, slot: 0, role: 0, age: Math.floor(id / tokens) };
  const spelt = id - firstSpelt;
  const [slotUp, roleUp] = [Math.floor(spelt / texts), Math.floor(spelt / (texts * slots))];
  return { token: spelt % texts, slot: slotUp % slots, role: roleUp % texts, age: Math.floor(roleUp / texts) };
}
