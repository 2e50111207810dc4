import { type Arrow, arrows, stepOf } from '../rules/arrows.js';
import { SolutionCache, type Space, memoizeByLevel } from '../solving/shortestPath.js';
import { type Room, fewestPushes, firstStep, isStuck, isTarget, isWall, moved, pushesTo, walk } from './room.js';

/** Boxes are sorted. */
export interface Places {
  readonly worker: number;
  readonly boxes: readonly number[];
}

interface Push {
  readonly box: number;
  readonly arrow: Arrow;
}

const maxStates = 4000;

/** Returns the next key of a solution with minimum pushes. */
export function nextArrow(places: Places, room: Room): Arrow | undefined {
  const push = plansOf(room).next(places);
  if (!push) return undefined;
  const behind = push.box - stepOf(push.arrow, room.columns);
  return places.worker === behind ? push.arrow : firstStep(room, places.boxes, places.worker, behind);
}

const plansOf = memoizeByLevel((room: Room) => {
  const pushes = pushesTo(room);
  // The first cell names the worker's region, where its position is irrelevant.
  const key = ({ worker, boxes }: Places) => {
    const region = walk(room, boxes, worker).findIndex((steps) => steps >= 0);
    return String.fromCharCode(region, ...boxes);
  };
  const next = function* ({ worker, boxes }: Places): Generator<readonly [Push, Places]> {
    const steps = walk(room, boxes, worker);
    for (const box of boxes) {
      for (const arrow of arrows) {
        const step = stepOf(arrow, room.columns);
        const to = box + step;
        if (steps[box - step] === -1 || isWall(room, to) || boxes.includes(to)) continue;
        const after = moved(boxes, box, to);
        if (!isStuck(room, after, to))
          yield [
            { box, arrow },
            { worker: box, boxes: after },
          ];
      }
    }
  };
  const space: Space<Places, Push> = {
    key,
    next,
    isGoal: ({ boxes }) => boxes.every((box) => isTarget(room, box)),
    estimate: ({ boxes }) => fewestPushes(boxes, pushes),
  };
  return new SolutionCache(() => space, maxStates);
});
