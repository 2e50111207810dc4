import { GyreError } from '@gyre/protocol';
import type { TaskInstance } from '../family.js';
import { Random } from '../random.js';
import { ways, game2048 } from './2048/rules.js';
import { energy } from './energy/rules.js';
import { sideOfBoard } from './freeTheKey/block.js';
import { freeTheKey } from './freeTheKey/rules.js';
import type { Game, GameArgument, Standing } from './game.js';
import { infinityLoop } from './infinityLoop/rules.js';
import { laserMaze } from './laserMaze/rules.js';
import { mergeAndDouble } from './mergeAndDouble/rules.js';
import { inTray, shapesGame } from './shapes/rules.js';
import { tilesMaster } from './tilesMaster/rules.js';
import { yarnUntangle } from './yarnUntangle/rules.js';

/** How a game stood at its end or when its step budget was used up, and the moves until then. */
export interface LegalPlay extends Standing {
  readonly moves: number;
}

type Play = (instance: TaskInstance, random: Random) => LegalPlay;

/**
 * Plays a game by its rules: each time one of the moves that would change something, all as likely. So plays who knows the moves and does
 * not look, and that is what a policy's success is to be held against, beside random actions on the screen, most of which are no moves.
 * Only the rules are asked; nothing is drawn.
 * @throws GyreError `bad_input` for a family whose moves are not listed here.
 */
export function playLegally(instance: TaskInstance, seed: string): LegalPlay {
  const { family } = instance.task;
  const play = plays[family];
  if (play) return play(instance, new Random(seed));
  throw new GyreError('bad_input', `the moves of ${family} are not listed`, {
    field: 'family',
    fix: `use one of ${Object.keys(plays).join(', ')}`,
  });
}

/** By family. All moves of a level are listed, whether or not its rules allow them now. */
const plays: Readonly<Record<string, Play>> = {
  2048: playOf(game2048, () => ways),
  mergeAndDouble: playOf(mergeAndDouble, ({ columns, rows }) => indices(columns * rows)),
  infinityLoop: playOf(infinityLoop, ({ tiles }) => indices(tiles.length)),
  tilesMaster: playOf(tilesMaster, ({ tiles }) => indices(tiles.length)),
  energy: playOf(energy, ({ tiles }) => indices(tiles.length)),
  laserMaze: playOf(laserMaze, ({ mirrors }) => indices(mirrors.length)),
  shapes: playOf(shapesGame, ({ shapes, columns, rows }) =>
    indices(shapes.length).flatMap((shape) => [
      { shape, turn: true as const },
      ...[inTray, ...indices(columns * rows)].map((at) => ({ shape, at })),
    ]),
  ),
  freeTheKey: playOf(freeTheKey, ({ blocks }) =>
    indices(blocks.length).flatMap((block) => indices(sideOfBoard).map((to) => ({ block, to }))),
  ),
  yarnUntangle: playOf(yarnUntangle, ({ pins, columns, rows }) =>
    indices(pins.length).flatMap((pin) => indices(columns * rows).map((to) => ({ pin, to }))),
  ),
};

function playOf<Level, State, Move>(game: Game<Level, State, Move>, movesOf: (level: Level) => readonly Move[]): Play {
  return ({ task, page }, random) => {
    const { level } = page.argument as GameArgument<Level>;
    const all = movesOf(level);
    let state = game.start(level);
    for (let moves = 0; ; moves++) {
      const standing = game.standing(state, level);
      if (standing.over || moves === task.stepBudget) return { ...standing, moves };
      const legal = all.map((move) => game.move(state, move, level)).filter((next) => next !== state);
      if (legal.length === 0) return { ...standing, moves };
      state = random.pick(legal);
    }
  };
}

function indices(count: number): number[] {
  return [...Array(count).keys()];
}
