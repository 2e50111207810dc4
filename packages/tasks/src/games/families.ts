import type { TaskFamily } from '../family/family.js';
import { family2048 } from './2048/family.js';
import { candyCrushFamily } from './candyCrush/family.js';
import { cubinkoFamily } from './cubinko/family.js';
import { energyFamily } from './energy/family.js';
import { freeTheKeyFamily } from './freeTheKey/family.js';
import { gem11Family } from './gem11/family.js';
import { hexFrvrFamily } from './hexFrvr/family.js';
import { infinityLoopFamily } from './infinityLoop/family.js';
import { laserMazeFamily } from './laserMaze/family.js';
import { mazePathOfLightFamily } from './mazePathOfLight/family.js';
import { mergeAndDoubleFamily } from './mergeAndDouble/family.js';
import { platformerFamily } from './platformer/family.js';
import { shapesFamily } from './shapes/family.js';
import { snakeSolverFamily } from './snakeSolver/family.js';
import { sokobanFamily } from './sokoban/family.js';
import { tetrisFamily } from './tetris/family.js';
import { tilesMasterFamily } from './tilesMaster/family.js';
import { woodBlocks3dFamily } from './woodBlocks3d/family.js';
import { yarnUntangleFamily } from './yarnUntangle/family.js';

/** Fifteen games of the report's suite, four of LMGame-Bench (with 2048), and a platformer. */
const list: readonly TaskFamily[] = [
  family2048,
  mergeAndDoubleFamily,
  infinityLoopFamily,
  freeTheKeyFamily,
  gem11Family,
  hexFrvrFamily,
  shapesFamily,
  snakeSolverFamily,
  tilesMasterFamily,
  woodBlocks3dFamily,
  yarnUntangleFamily,
  energyFamily,
  mazePathOfLightFamily,
  laserMazeFamily,
  cubinkoFamily,
  sokobanFamily,
  tetrisFamily,
  candyCrushFamily,
  platformerFamily,
];

export const gameFamilies: Readonly<Record<string, TaskFamily>> = Object.fromEntries(
  list.map((family) => [family.name, family]),
);
