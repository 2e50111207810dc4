import { type Arrow, stepOf } from '../rules/arrows.js';
import type { Game } from '../game.js';
import { type Room, isTarget, isWall, moved } from './room.js';
import { type Places, nextArrow } from './solver.js';

/** Sokoban (Hiroyuki Imabayashi, 1981). The score is the number of boxes at targets, as in LMGame-Bench. */
export interface LevelSokoban extends Room, Places {
  readonly difficulty: number;
}

export interface StateSokoban extends Places {
  readonly facing: Arrow;
  readonly past: readonly (Places & { readonly facing: Arrow })[];
}

export type MoveSokoban = Arrow | 'undo' | 'restart';

/** With more to undo, restarting is quicker. */
const maxUndone = 6;

export const sokoban: Game<LevelSokoban, StateSokoban, MoveSokoban> = {
  name: 'sokoban',
  version: 1,
  start: ({ worker, boxes }) => ({ worker, boxes, facing: 'ArrowDown', past: [] }),
  move(state, move, level) {
    const last = state.past.at(-1);
    if (move === 'undo') return last ? { ...last, past: state.past.slice(0, -1) } : state;
    if (move === 'restart') return last ? this.start(level) : state;
    const step = stepOf(move, level.columns);
    const to = state.worker + step;
    if (isWall(level, to)) return state;
    let { boxes } = state;
    if (boxes.includes(to)) {
      if (isWall(level, to + step) || boxes.includes(to + step)) return state;
      boxes = moved(boxes, to, to + step);
    }
    const { worker, facing } = state;
    return { worker: to, boxes, facing: move, past: [...state.past, { worker, boxes: state.boxes, facing }] };
  },
  status({ boxes }, level) {
    const score = boxes.filter((box) => isTarget(level, box)).length;
    const won = score === boxes.length;
    return { score, progress: score / boxes.length, won, over: won, lives: 1 };
  },
  hint(state, level) {
    const arrow = nextArrow(state, level);
    if (arrow) return arrow;
    if (state.past.length === 0) return undefined;
    return state.past.length > maxUndone ? 'restart' : 'undo';
  },
};
