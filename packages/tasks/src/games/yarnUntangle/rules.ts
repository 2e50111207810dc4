import type { Game, Spot } from '../game.js';
import type { Plane } from '../rules/sides.js';
import { type Thread, touchOf, touches } from './touch.js';

/** Move pins between holes until no threads touch. */
export interface YarnLevel extends Plane {
  readonly difficulty: number;
  readonly threads: readonly Thread[];
  readonly pins: readonly number[];
  /** A solution. */
  readonly untangled: readonly number[];
}

export interface YarnState {
  /** Hole of each pin. */
  readonly pins: readonly number[];
}

export interface YarnMove {
  readonly pin: number;
  readonly to: number;
}

export const yarnUntangle: Game<YarnLevel, YarnState, YarnMove> = {
  name: 'yarnUntangle',
  version: 1,
  start: ({ pins }) => ({ pins }),
  move(state, { pin, to }, { columns, rows }) {
    const isHole = to >= 0 && to < columns * rows;
    if (!isHole || state.pins.includes(to) || state.pins[pin] === undefined) return state;
    return { pins: state.pins.with(pin, to) };
  },
  status({ pins }, level) {
    const first = crossings(level, level.pins);
    const crossingCount = crossings(level, pins);
    return {
      score: first - crossingCount,
      progress: Math.max(0, 1 - crossingCount / first),
      won: crossingCount === 0,
      over: crossingCount === 0,
      lives: 1,
    };
  },
  hint({ pins }, level) {
    return lastMove(level, pins) ?? moveHome(level, pins);
  },
};

/** Ignores threads that meet at a shared pin. */
export const crossings = (level: Pick<YarnLevel, 'columns' | 'threads'>, pins: readonly number[]): number =>
  touches(level.threads, spotsOf(level, pins)).length;

/** Neighbouring holes are 1 apart. */
export const spotsOf = ({ columns }: { columns: number }, pins: readonly number[]): Spot[] =>
  pins.map((hole) => ({ x: hole % columns, y: Math.floor(hole / columns) }));

const freeHoles = ({ columns, rows }: Plane, pins: readonly number[]): number[] =>
  Array.from({ length: columns * rows }, (_, hole) => hole).filter((hole) => !pins.includes(hole));

/** Returns undefined if more moves are needed. */
function lastMove(level: YarnLevel, pins: readonly number[]): YarnMove | undefined {
  const crossingPairs = touches(level.threads, spotsOf(level, pins));
  const isEnd = (thread: number, pin: number) => level.threads[thread]?.includes(pin) ?? false;
  for (const pin of pins.keys()) {
    // Only a pin with a thread in every crossing can resolve all.
    if (!crossingPairs.every(({ pair: [one, other] }) => isEnd(one, pin) || isEnd(other, pin))) continue;
    const threadsOfPin = level.threads.filter((thread) => thread.includes(pin));
    const home = level.untangled[pin] ?? -1;
    const free = freeHoles(level, pins);
    for (const to of free.includes(home) ? [home, ...free] : free) {
      const spots = spotsOf(level, pins.with(pin, to));
      const isClear = threadsOfPin.every((one) =>
        level.threads.every((other) => one === other || !touchOf(one, other, spots)),
      );
      if (isClear) return { pin, to };
    }
  }
  return undefined;
}

/** Moves a pin to its solved hole, minimizing crossings; otherwise makes room. */
function moveHome(level: YarnLevel, pins: readonly number[]): YarnMove | undefined {
  const moves: YarnMove[] = [];
  for (const [pin, to] of level.untangled.entries()) if (!pins.includes(to)) moves.push({ pin, to });
  if (moves.length === 0) {
    const pin = pins.findIndex((hole, index) => hole !== level.untangled[index]);
    if (pin >= 0) for (const to of freeHoles(level, pins)) moves.push({ pin, to });
  }
  let best: { move: YarnMove; crossingCount: number } | undefined;
  for (const move of moves) {
    const crossingCount = crossings(level, pins.with(move.pin, move.to));
    if (!best || crossingCount < best.crossingCount) best = { move, crossingCount };
  }
  return best?.move;
}
