import type { Split, Task } from '@gyre/protocol';
import { screenSide } from '../family/box.js';
import { fontFamilies } from '../family/screen/face.js';
import type { TaskFamily, TaskInstance } from '../family/family.js';
import { type Landmark, type MazeView, goals, heroes, mazeThemes, renderMaze, tileSide } from './mazeBoard.js';
import { type Openings, distancesTo, drawOpenings, mazeSide, wallsName } from './mazeWalls.js';
import type { MazeArgument } from './maze.page.js';
import { Random } from '../family/random.js';
import { renderPage } from '../family/screen/screen.js';
import { drawOwned, pageSeed } from '../family/split.js';
import { pageScript } from '../family/pageScript.js';

const maxMoves = 12;

export const maze: TaskFamily = {
  name: 'maze',
  description: 'Move the hero through a 4 x 4 maze to the goal with the arrow keys, in at most 12 moves.',
  create(split, seed): TaskInstance {
    const random = new Random(`maze/${split}/${seed}`);
    const view = drawMaze(random, split);
    const instruction = random.pick([
      `reach the ${view.goalKind}`,
      `reach the ${view.goalKind}`,
      `go to the ${view.goalKind}`,
      `walk to the ${view.goalKind}`,
      `find your way to the ${view.goalKind}`,
      `guide the hero through the maze to the ${view.goalKind}`,
    ]);
    return mazeTask({ family: 'maze', split, seed, instruction, view, maxMoves });
  },
};

export function mazeTask({
  family,
  split,
  seed,
  instruction,
  view,
  maxMoves,
}: Pick<Task, 'family' | 'split' | 'seed' | 'instruction'> & { view: MazeView; maxMoves: number }): TaskInstance {
  const { openings, start, goal, key } = view;
  const argument: MazeArgument = {
    side: mazeSide,
    openings,
    start,
    goal,
    distances: distancesTo(goal, openings),
    ...(key !== undefined && { key: { tile: key, distances: distancesTo(key, openings) } }),
    maxMoves,
    tile: tileSide,
  };
  return {
    task: {
      id: `${family}/${split}/${seed}`,
      family,
      split,
      seed,
      instruction,
      surfaces: ['screen'],
      screen: { width: screenSide, height: screenSide },
      stepBudget: maxMoves,
    },
    page: {
      html: renderPage(renderMaze(view)),
      script: pageScript('basics/maze'),
      argument,
      seed: pageSeed(family, split, seed),
    },
  };
}

/** Draws shortest paths of 2 to 6 moves about equally often. */
export function drawMaze(random: Random, split: Split): MazeView {
  const openings = drawWalls(random, split);
  const lengths = new Map<number, [start: number, goal: number][]>();
  for (let goal = 0; goal < openings.length; goal++) {
    for (const [start, distance] of distancesTo(goal, openings).entries()) {
      if (distance < 2 || distance > 6) continue;
      lengths.set(distance, [...(lengths.get(distance) ?? []), [start, goal]]);
    }
  }
  const length = random.pick([...lengths.keys()].sort((a, b) => a - b));
  const [start, goal] = random.pick(lengths.get(length) ?? []);
  return { openings, start, goal, ...drawScene(random, goals) };
}

export function drawWalls(random: Random, split: Split): Openings {
  return drawOwned(
    split,
    () => drawOpenings(random),
    (drawn) => `maze/${wallsName(drawn)}`,
  );
}

export function drawScene<Kind extends Landmark>(random: Random, kinds: readonly Kind[]) {
  return {
    theme: random.pick(mazeThemes),
    family: random.pick(fontFamilies),
    goalKind: random.pick(kinds),
    hero: random.pick(heroes),
    level: random.between(1, 99),
  };
}
