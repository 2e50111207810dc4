import type { Game } from '../game.js';
import { connectedTiles, turned } from '../rules/pipeNet.js';
import { type Plane, beside, sides } from '../rules/sides.js';

/** Turn wires until the source feeds every lamp. Open ends are allowed. */
export interface EnergyLevel extends Plane {
  readonly difficulty: number;
  readonly tiles: readonly number[];
  readonly source: number;
  readonly lamps: readonly number[];
  /** Ends that each cell needs in a tree from the source to all lamps. */
  readonly tree: readonly number[];
}

export interface EnergyState {
  readonly tiles: readonly number[];
}

/** The wire to turn a quarter clockwise. */
export type EnergyMove = number;

export const energy: Game<EnergyLevel, EnergyState, EnergyMove> = {
  name: 'energy',
  version: 1,
  start: ({ tiles }) => ({ tiles }),
  move(state, place) {
    const ends = state.tiles[place] ?? 0;
    if (turned(ends) === ends) return state;
    return { tiles: state.tiles.with(place, turned(ends)) };
  },
  status({ tiles }, level) {
    const fed = new Set(connectedTiles(level, tiles, level.source));
    const lit = level.lamps.filter((lamp) => fed.has(lamp)).length;
    const won = lit === level.lamps.length;
    return { score: lit, progress: lit / level.lamps.length, won, over: won, lives: 1 };
  },
  /** Turns the wrong wire nearest to the source. */
  hint({ tiles }, level) {
    const isWrong = (place: number) => ((tiles[place] ?? 0) & (level.tree[place] ?? 0)) !== level.tree[place];
    return treeFrom(level).find(isWrong);
  },
};

function treeFrom(level: EnergyLevel): number[] {
  const order: number[] = [];
  const visit = (place: number, from: number) => {
    order.push(place);
    for (const side of sides) {
      const neighbour = beside(level, place, side);
      if (neighbour !== undefined && neighbour !== from && (level.tree[place] ?? 0) & side) visit(neighbour, place);
    }
  };
  visit(level.source, -1);
  return order;
}

/** Counts the quarter turns that each wire of the tree needs. */
export const turnsToTree = ({ tiles, tree }: Pick<EnergyLevel, 'tiles' | 'tree'>): number[] =>
  tree.map((needed, place) => {
    const fits = [0, 1, 2, 3].findIndex((quarters) => (turned(tiles[place] ?? 0, quarters) & needed) === needed);
    return Math.max(0, fits);
  });
