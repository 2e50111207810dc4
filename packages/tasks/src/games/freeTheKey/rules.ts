import type { Game } from '../game.js';
import { type Block, cellsOf, freeRange, rangesOf } from './block.js';
import { movesToGate } from './positions.js';

/** Sliding blocks: move the key (the first block) to the gate at the right of its row. */
export interface KeyLevel {
  readonly difficulty: number;
  readonly blocks: readonly Block[];
  // eslint-disable-next-line gyre/vague-name -- as in `KeyState`
  readonly at: readonly number[];
}

export interface KeyState {
  /** First row or column of each block. */
  // eslint-disable-next-line gyre/vague-name -- checksums cover the name
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
  status({ at: blockPlaces }, { blocks, at: atFirst }) {
    const toGo = movesToGate(blocks, blockPlaces) ?? Infinity;
    const first = movesToGate(blocks, atFirst) ?? Infinity;
    const won = toGo === 0;
    return { score: first - toGo, progress: Math.max(0, 1 - toGo / first), won, over: won, lives: 1 };
  },
  hint({ at: blockPlaces }, { blocks }) {
    const toGo = movesToGate(blocks, blockPlaces) ?? 0;
    for (const [block, { first, last }] of rangesOf(blocks, blockPlaces).entries()) {
      for (let to = first; to <= last; to++) {
        if (to !== blockPlaces[block] && movesToGate(blocks, blockPlaces.with(block, to)) === toGo - 1)
          return { block, to };
      }
    }
    return undefined;
  },
};

export function blockAt(blocks: readonly Block[], blockPlaces: readonly number[], cell: number): number | undefined {
  const blockIndex = blocks.findIndex((block, index) => cellsOf(block, blockPlaces[index] ?? 0).includes(cell));
  return blockIndex < 0 ? undefined : blockIndex;
}
