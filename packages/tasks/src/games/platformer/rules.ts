import type { Game } from '../game.js';
import { type KeyPlatformer, type StatePlatformer, begin, goalOf, pass, press } from './motion.js';
import { nextKey } from './path.js';
import { type World, tile } from './world.js';

/**
 * A run-and-jump game in real time, which passes only during actions. One press suffices: right and left run for a
 * while, up jumps as far as possible, down stops, in the air too. Jumping on a slime removes it; running into one or
 * falling costs a life.
 */
export interface LevelPlatformer extends World {
  readonly difficulty: number;
}

export const platformer: Game<LevelPlatformer, StatePlatformer, KeyPlatformer> = {
  name: 'platformer',
  version: 1,
  start: begin,
  move: press,
  tick: pass,
  status({ farthest, lives, taken, beaten }, level) {
    const [first, goal] = [begin(level).x, goalOf(level)];
    const won = farthest >= goal;
    const tiles = Math.floor((Math.min(farthest, goal) - first) / tile);
    return {
      score: 10 * tiles + 50 * taken.length + 100 * beaten.length,
      progress: Math.min(1, (farthest - first) / (goal - first)),
      won,
      over: won || lives === 0,
      lives,
    };
  },
  hint: nextKey,
};
