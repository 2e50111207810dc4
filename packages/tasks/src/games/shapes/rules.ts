import type { Game } from '../game.js';
import type { Plane } from '../rules/sides.js';
import { fit } from './fit.js';
import { type Shape, extentOf, isSame, turnedShape } from './shape.js';

/** Shapes that together fill a silhouette. */
export interface ShapesLevel extends Plane {
  readonly difficulty: number;
  /** Sorted cells. */
  readonly silhouette: readonly number[];
  readonly shapes: readonly Shape[];
  readonly filled: readonly PlacedShape[];
}

/** Quarter turns clockwise and upper left corner; -1 in the tray. */
export interface PlacedShape {
  readonly turns: number;
  // eslint-disable-next-line gyre/vague-name -- checksums cover the name
  readonly at: number;
}

export interface ShapesState {
  readonly laid: readonly PlacedShape[];
}

/** Lays a shape by its upper left corner, returns it to the tray (-1), or turns it. */
export type ShapesMove =
  // eslint-disable-next-line gyre/vague-name -- as in `PlacedShape`
  { readonly shape: number; readonly at: number } | { readonly shape: number; readonly turn: true };

export const inTray = -1;

export const shapesGame: Game<ShapesLevel, ShapesState, ShapesMove> = {
  name: 'shapes',
  version: 1,
  start: ({ shapes }) => ({ laid: shapes.map(() => ({ turns: 0, at: inTray })) }),
  move(state, move, level) {
    const now = state.laid[move.shape];
    if (!now) return state;
    if ('turn' in move) {
      if (now.at !== inTray) return state;
      return { laid: state.laid.with(move.shape, { ...now, turns: (now.turns + 1) % 4 }) };
    }
    if (move.at === now.at) return state;
    if (move.at !== inTray && !isFree(level, state, move.shape, move.at)) return state;
    return { laid: state.laid.with(move.shape, { ...now, at: move.at }) };
  },
  status({ laid }, level) {
    const covered = laid.reduce(
      (sum, { at }, index) => sum + (at === inTray ? 0 : (level.shapes[index]?.length ?? 0)),
      0,
    );
    const won = covered === level.silhouette.length;
    return { score: covered, progress: covered / level.silhouette.length, won, over: won, lives: 1 };
  },
  hint({ laid }, level) {
    const isFreeShape = (index: number) => laid[index]?.at === inTray;
    const free = [...laid.keys()].filter(isFreeShape);
    const taken = new Set(laid.flatMap((_, index) => (isFreeShape(index) ? [] : placesOf(level, { laid }, index))));
    const empty = level.silhouette.filter((place) => !taken.has(place));
    const next = fit(level, empty, free)?.[0];
    if (next) {
      const shape = level.shapes[next.shape] ?? [];
      const lies = turnedShape(shape, laid[next.shape]?.turns ?? 0);
      if (!isSame(lies, turnedShape(shape, next.turns))) return { shape: next.shape, turn: true };
      return { shape: next.shape, at: next.corner };
    }
    // If the rest cannot fit, returns a shape that deviates from the known solution.
    const wrong = laid.findIndex((now, index) => {
      const known = level.filled[index];
      return now.at !== inTray && (now.at !== known?.at || now.turns !== known.turns);
    });
    return wrong < 0 ? undefined : { shape: wrong, at: inTray };
  },
};

export function placesOf({ columns, shapes }: ShapesLevel, { laid }: ShapesState, index: number): number[] {
  const { turns, at: corner } = laid[index] ?? { turns: 0, at: inTray };
  if (corner === inTray) return [];
  return turnedShape(shapes[index] ?? [], turns).map(([column, row]) => corner + row * columns + column);
}

/** Returns whether a shape fits on free silhouette cells. */
function isFree(level: ShapesLevel, state: ShapesState, index: number, corner: number): boolean {
  const { columns } = level;
  const shape = turnedShape(level.shapes[index] ?? [], state.laid[index]?.turns ?? 0);
  if (corner < 0 || (corner % columns) + extentOf(shape).columns > columns) return false;
  const others = new Set(state.laid.flatMap((_, other) => (other === index ? [] : placesOf(level, state, other))));
  const places = shape.map(([column, row]) => corner + row * columns + column);
  return places.every((place) => level.silhouette.includes(place) && !others.has(place));
}
