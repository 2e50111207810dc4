import { framesOfAction } from '../solving/movesToWin.js';
import { Plans, type Space, perLevel } from '../solving/shortestPath.js';
import { type KeyPlatformer, type StatePlatformer, goalOf, pass, press, speed } from './motion.js';
import { type World, tile } from './world.js';

/** How far ahead the scripted solution looks, in units, and the states that it looks at before it gives up. */
const ahead = 10 * tile;
const most = 2500;

const choices: readonly KeyPlatformer[] = ['ArrowDown', 'wait', 'ArrowLeft', 'ArrowUp', 'ArrowRight'];

/** The key that leads ahead soonest without a loss. In the air, where there may be none, time passes. */
export function nextKey(state: StatePlatformer, level: World): KeyPlatformer | undefined {
  return plansOf(level).next(state) ?? (state.inAir ? 'wait' : undefined);
}

const plansOf = perLevel((level: World) => {
  // Coins lie by the way; what takes them does not matter here.
  const bare = { ...level, coins: [] };
  return new Plans<StatePlatformer, KeyPlatformer>((start) => spaceFrom(start, bare), most);
});

/** Every key is pressed once and then time passes as it does in a session; lives are not to be lost. */
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
