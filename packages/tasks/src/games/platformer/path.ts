import { framesOfAction } from '../solving/movesToWin.js';
import { SolutionCache, type Space, memoizeByLevel } from '../solving/shortestPath.js';
import { type KeyPlatformer, type StatePlatformer, goalOf, pass, press, speed } from './motion.js';
import { type World, tile } from './world.js';

/** Look-ahead in units, and limit of searched states. */
const ahead = 10 * tile;
const maxStates = 2500;

const choices: readonly KeyPlatformer[] = ['ArrowDown', 'wait', 'ArrowLeft', 'ArrowUp', 'ArrowRight'];

/** Returns the key that advances soonest without losing a life; in the air, there may be none. */
export function nextKey(state: StatePlatformer, level: World): KeyPlatformer | undefined {
  return plansOf(level).next(state) ?? (state.inAir ? 'wait' : undefined);
}

const plansOf = memoizeByLevel((level: World) => {
  // Coins would only multiply the states.
  const bare = { ...level, coins: [] };
  return new SolutionCache<StatePlatformer, KeyPlatformer>((start) => spaceFrom(start, bare), maxStates);
});

/** Presses each key once, then lets a session's time pass. Losing a life ends a branch. */
function spaceFrom(start: StatePlatformer, level: World): Space<StatePlatformer, KeyPlatformer> {
  const goal = goalOf(level);
  const there = Math.min(goal, start.x + ahead);
  return {
    key: ({ frame, x, y, rise, inAir, looks, run, lives, beaten }) =>
      [frame, x, y, rise, inAir ? 1 : 0, looks, run, lives, ...beaten].join(),
    *next(state) {
      for (const key of choices) {
        let after = press(state, key);
        if (after === state && key !== 'wait') continue;
        for (let frame = 0; frame < framesOfAction && after.farthest < goal; frame++) after = pass(after, level);
        if (after.lives === start.lives) yield [key, after];
      }
    },
    isGoal: ({ x, inAir }) => x >= there && (x >= goal || !inAir),
    estimate: ({ x }) => Math.max(0, Math.ceil((there - x) / (speed * framesOfAction))),
  };
}
