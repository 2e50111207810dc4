import type { Game } from '../game.js';
import { type Block, cellsOf, freeRange, rangesOf } from './block.js';
import { movesToGate } from './positions.js';

/** Sliding blocks: move the key (the first block) to the gate at the right of its row. */
export interface KeyLevel {
  readonly difficulty: number;
  readonly blocks: readonly Block[];
  readonly at: readonly number[];
}

export interface KeyState {
  /** First row or column of each block. */
  readonly at: readonly number[];
}

export interface KeyMove {
  readonly block: number;
  readonly to: number;
}

export const gateRow = 2;

export const freeTheKey: Game<KeyLevel, KeyState, KeyMove> = {
  name: 'freeTheKey',
  version: 1,
  start: ({ at }) => ({ at }),
  move(state, { block, to }, { blocks }) {
    const range = freeRange(blocks, state.at, block);
    if (to === state.at[block] || !range || to < range.first || to > range.last) return state;
    return { at: state.at.with(block, to) };
  },
  standing({ at }, { blocks, at: atFirst }) {
    const toGo = movesToGate(blocks, at) ?? Infinity;
    const first = movesToGate(blocks, atFirst) ?? Infinity;
    const won = toGo === 0;
    return { score: first - toGo, progress: Math.max(0, 1 - toGo / first), won, over: won, lives: 1 };
  },
  hint({ at }, { blocks }) {
    const toGo = movesToGate(blocks, at) ?? 0;
    for (const [block, { first, last }] of rangesOf(blocks, at).entries()) {
      for (let to = first; to <= last; to++) {
        if (to !== at[block] && movesToGate(blocks, at.with(block, to)) === toGo - 1) return { block, to };
      }
    }
    return undefined;
  },
};

export function blockAt(blocks: readonly Block[], at: readonly number[], cell: number): number | undefined {
  const found = blocks.findIndex((block, index) => cellsOf(block, at[index] ?? 0).includes(cell));
  return found < 0 ? undefined : found;
}
