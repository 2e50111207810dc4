import { type Block, cellIn, sideOfBoard } from './block.js';

const maxPositions = 6_000;

/** All reachable positions. */
export interface Positions {
  readonly index: ReadonlyMap<number, number>;
  readonly codes: readonly number[];
  /** Moves to the gate per position; -1 if impossible. */
  readonly moves: Int16Array;
}

/** Keyed by identity: a level's blocks never change. */
const known = new WeakMap<readonly Block[], Positions>();

/** Returns undefined if there are too many positions. */
export function positionsOf(blocks: readonly Block[], from: readonly number[]): Positions | undefined {
  const before = known.get(blocks);
  if (before?.index.has(codeOf(from))) return before;
  const positions = search(blocks, from);
  if (positions) known.set(blocks, positions);
  return positions;
}

/** Returns the minimum moves to the gate; undefined if unknown. */
export function movesToGate(blocks: readonly Block[], blockPlaces: readonly number[]): number | undefined {
  const positions = positionsOf(blocks, blockPlaces);
  const moves = positions?.moves[positions.index.get(codeOf(blockPlaces)) ?? -1];
  return moves === undefined || moves < 0 ? undefined : moves;
}

/** Base 5, one digit per block, lowest first. */
const codeOf = (at: readonly number[]): number => at.reduceRight((code, place) => code * 5 + place, 0);

export function placesOf(blocks: readonly Block[], code: number): number[] {
  let rest = code;
  return blocks.map(() => {
    const place = rest % 5;
    rest = Math.floor(rest / 5);
    return place;
  });
}

function search(blocks: readonly Block[], from: readonly number[]): Positions | undefined {
  const codes = [codeOf(from)];
  const index = new Map([[codes[0]!, 0]]);
  /** Flat adjacency list; `begins` has each position's start. */
  const beside: number[] = [];
  const begins: number[] = [];
  for (let position = 0; position < codes.length; position++) {
    begins.push(beside.length);
    for (const code of codesBeside(blocks, codes[position]!)) {
      let neighbour = index.get(code);
      if (neighbour === undefined) {
        if (codes.length >= maxPositions) return undefined;
        neighbour = codes.push(code) - 1;
        index.set(code, neighbour);
      }
      beside.push(neighbour);
    }
  }
  begins.push(beside.length);
  // Moves are reversible, so search backwards from the gate.
  const gate = sideOfBoard - blocks[0]!.length;
  const moves = new Int16Array(codes.length).fill(-1);
  const order = [...codes.keys()].filter((position) => codes[position]! % 5 === gate);
  for (const position of order) moves[position] = 0;
  for (const position of order) {
    for (let edge = begins[position]!; edge < begins[position + 1]!; edge++) {
      const neighbour = beside[edge]!;
      if (moves[neighbour] !== -1) continue;
      moves[neighbour] = moves[position]! + 1;
      order.push(neighbour);
    }
  }
  return { index, codes, moves };
}

/** Hot loop: allocates only its result. */
function codesBeside(blocks: readonly Block[], code: number): number[] {
  isTaken.fill(0);
  let rest = code;
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index]!;
    const place = rest % 5;
    rest = (rest - place) / 5;
    places[index] = place;
    for (let part = 0; part < block.length; part++) isTaken[cellIn(block, place + part)] = 1;
  }
  const codes: number[] = [];
  let weight = 1;
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index]!;
    const place = places[index]!;
    for (let to = place - 1; to >= 0 && !isTaken[cellIn(block, to)]; to--) codes.push(code + (to - place) * weight);
    for (let to = place + 1; to + block.length <= sideOfBoard && !isTaken[cellIn(block, to + block.length - 1)]; to++) {
      codes.push(code + (to - place) * weight);
    }
    weight *= 5;
  }
  return codes;
}

const isTaken = new Uint8Array(sideOfBoard * sideOfBoard);
const places = new Uint8Array(32);
