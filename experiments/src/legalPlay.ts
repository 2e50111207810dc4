import { parseArgs } from 'node:util';
import { gameFamilies, playLegally } from '@gyre/tasks';

/**
 * Measures what random legal moves achieve in games, by the rules alone, on the held-out tasks of `practice` on their
 * smallest screens. Needs no browser and no weights.
 *
 *     node experiments/dist/legalPlay.js --families mergeAndDouble --tasks 100 --attempts 50
 *     node experiments/dist/legalPlay.js --families platformer --only ArrowRight,ArrowUp,ArrowUp,ArrowUp
 */
const { values: flags } = parseArgs({
  options: {
    families: {
      type: 'string',
      default:
        '2048,mergeAndDouble,infinityLoop,tilesMaster,energy,laserMaze,gem11,hexFrvr,woodBlocks3d,shapes,freeTheKey,yarnUntangle,platformer,snakeSolver,sokoban,cubinko,tetris',
    },
    tasks: { type: 'string', default: '100' },
    attempts: { type: 'string', default: '20' },
    only: { type: 'string' },
  },
});
const [tasks, attempts] = [Number(flags.tasks), Number(flags.attempts)];
const only = flags.only?.split(',');
for (const family of flags.families.split(',')) {
  const game = gameFamilies[family];
  if (!game) throw new Error(`there is no game "${family}"; --families knows ${Object.keys(gameFamilies).join(', ')}`);
  const plays = Array.from({ length: tasks }, (_, seed) => {
    const instance = game.create('test', seed, game.smallest);
    const { difficulty = 1 } = instance.task;
    return Array.from({ length: attempts }, (_, attempt) => ({
      difficulty,
      ...playLegally(instance, `${attempt}`, only),
    }));
  }).flat();
  const levels = [...new Set(plays.map(({ difficulty }) => difficulty))].sort((a, b) => a - b);
  const solved = (of: typeof plays) => Math.round((100 * of.filter(({ won }) => won).length) / of.length);
  process.stdout.write(
    `${JSON.stringify({
      ...{ family, ...(only && { only }), tasks, attempts, success: solved(plays) },
      levels: levels.map((level) => solved(plays.filter(({ difficulty }) => difficulty === level))),
      score: Number((plays.reduce((sum, { progress }) => sum + progress, 0) / plays.length).toFixed(3)),
      moves: Math.round(plays.reduce((sum, { moves }) => sum + moves, 0) / plays.length),
    })}\n`,
  );
}
