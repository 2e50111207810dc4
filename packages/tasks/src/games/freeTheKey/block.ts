/** Rows and columns. */
export const sideOfBoard = 6;

export interface Block {
  readonly isUpright: boolean;
  readonly lane: number;
  readonly length: number;
}

export const cellIn = ({ isUpright, lane }: Block, place: number): number =>
  isUpright ? place * sideOfBoard + lane : lane * sideOfBoard + place;

export const cellsOf = (block: Block, at: number): number[] =>
  Array.from({ length: block.length }, (_, index) => cellIn(block, at + index));

/** First and last position that a block can slide to. */
export interface FreeRange {
  readonly first: number;
  readonly last: number;
}

export function rangesOf(blocks: readonly Block[], blockPlaces: readonly number[]): FreeRange[] {
  const isTaken = new Uint8Array(sideOfBoard * sideOfBoard);
  for (const [index, block] of blocks.entries()) {
    for (let part = 0; part < block.length; part++) isTaken[cellIn(block, blockPlaces[index]! + part)] = 1;
  }
  return blocks.map((block, index) => {
    let first = blockPlaces[index]!;
    let last = first;
    while (first > 0 && !isTaken[cellIn(block, first - 1)]) first--;
    while (last + block.length < sideOfBoard && !isTaken[cellIn(block, last + block.length)]) last++;
    return { first, last };
  });
}

export const freeRange = (blocks: readonly Block[], at: readonly number[], block: number): FreeRange | undefined =>
  rangesOf(blocks, at)[block];
