import type { Split } from '@gyre/protocol';
import type { TaskFamily, TaskInstance } from '../family/family.js';
import { drawScene, drawWalls, mazeTask } from './maze.js';
import type { MazeView } from './mazeBoard.js';
import { distancesTo, shortestPath } from './mazeWalls.js';
import { Random } from '../family/random.js';

const maxMoves = 14;

export const vault: TaskFamily = {
  name: 'vault',
  description: 'Collect the key in a 4 x 4 maze, then open the chest, with the arrow keys, in at most 14 moves.',
  create(split, seed): TaskInstance {
    const random = new Random(`vault/${split}/${seed}`);
    const view = drawVault(random, split);
    const instruction = random.pick([
      'get the key and open the box',
      'get the key, then open the box',
      'find the key, then go to the box',
      'guide the hero to the key and then to the box',
    ]);
    const { start, key, openings } = view;
    return {
      ...mazeTask({ family: 'vault', split, seed, instruction, view, maxMoves }),
      files: { contents: { way: `${shortestPath(start, key, openings)}\n` }, subject: 'way' },
    };
  },
};

/** Draws 1 to 4 moves to the key and 2 to 5 from there to the chest. */
function drawVault(random: Random, split: Split): MazeView & { key: number } {
  for (;;) {
    const openings = drawWalls(random, split);
    const tile = () => random.between(0, openings.length - 1);
    const [start, key, goal] = [tile(), tile(), tile()];
    const toKey = distancesTo(key, openings)[start] ?? 0;
    const toGoal = distancesTo(goal, openings)[key] ?? 0;
    if (toKey < 1 || toKey > 4 || toGoal < 2 || toGoal > 5 || goal === start) continue;
    return { openings, start, key, goal, ...drawScene(random, ['chest']) };
  }
}
