import { gameFamily } from '../gameFamily.js';
import { type LaserPlan, makeLaserLevel } from './makeLaserLevel.js';
import { laserMaze } from './rules.js';

const easiest: LaserPlan = {
  columns: 6,
  rows: 4,
  onWay: [2, 4],
  splitters: 0,
  crystals: 2,
  beside: 1,
  walls: 3,
  clicks: [2, 5],
};
const plans: readonly LaserPlan[] = [
  easiest,
  { columns: 7, rows: 5, onWay: [4, 6], splitters: 0, crystals: 3, beside: 2, walls: 4, clicks: [4, 9] },
  { columns: 8, rows: 5, onWay: [6, 8], splitters: 1, crystals: 3, beside: 3, walls: 4, clicks: [7, 13] },
  { columns: 9, rows: 6, onWay: [9, 12], splitters: 2, crystals: 4, beside: 4, walls: 6, clicks: [11, 19] },
  { columns: 10, rows: 7, onWay: [13, 18], splitters: 3, crystals: 6, beside: 6, walls: 8, clicks: [17, 32] },
];

export const laserMazeFamily = gameFamily({
  game: laserMaze,
  description: 'Place and rotate mirrors so that the laser hits every crystal.',
  level(random, difficulty) {
    for (;;) {
      const level = makeLaserLevel(random, difficulty, plans[difficulty - 1] ?? easiest);
      if (level) return level;
    }
  },
  // Turned mirrors are the same maze.
  nameOf: ({ laser, walls, crystals, mirrors }) => JSON.stringify([laser, walls, crystals, mirrors]),
  wordings: {
    en: [
      'turn the mirrors by clicks until the laser hits every crystal; a dashed socket takes a mirror',
      'click mirrors to turn them and empty sockets to set one; light all crystals',
      'lead the beam through all crystals: a click changes a mirror or socket',
      'make the laser reach each crystal: clicks turn mirrors and fill or empty sockets',
    ],
    zh: [
      '点击镜子或虚线圆圈，让激光照到所有水晶',
      '转动或放置镜子，点亮全部水晶',
      '点击镜子和插座，引导激光穿过每一颗水晶',
    ],
  },
  maxMoves: 60,
});
