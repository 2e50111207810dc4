import { GyreError } from '@gyre/protocol';
import type { TaskInstance } from '../../family/family.js';
import { Random } from '../../family/random.js';
import { ways, game2048 } from '../2048/rules.js';
import { arrows } from '../rules/arrows.js';
import { cubinko } from '../cubinko/rules.js';
import { energy } from '../energy/rules.js';
import { sideOfBoard } from '../freeTheKey/block.js';
import type { PiecePlacement } from '../filling/lattice.js';
import type { FillLevel, FillState } from '../filling/rules.js';
import { freeTheKey } from '../freeTheKey/rules.js';
import type { Game, GameArgument, GameStatus } from '../game.js';
import { gem11 } from '../gem11/rules.js';
import { hexFrvr } from '../hexFrvr/rules.js';
import { infinityLoop } from '../infinityLoop/rules.js';
import { laserMaze } from '../laserMaze/rules.js';
import { mergeAndDouble } from '../mergeAndDouble/rules.js';
import { afterAction } from '../solving/movesToWin.js';
import { keysOfPlatformer } from '../platformer/motion.js';
import { platformer } from '../platformer/rules.js';
import { inTray, shapesGame } from '../shapes/rules.js';
import { snakeSolver } from '../snakeSolver/rules.js';
import { sokoban } from '../sokoban/rules.js';
import { keys as keysOfTetris } from '../tetris/board.js';
import { tetris } from '../tetris/rules.js';
import { tilesMaster } from '../tilesMaster/rules.js';
import { woodBlocks3d } from '../woodBlocks3d/rules.js';
import { yarnUntangle } from '../yarnUntangle/rules.js';

/** Standing and moves at the end or after the step budget. */
export interface LegalPlay extends GameStatus {
  readonly moves: number;
}

interface Playable {
  play(instance: TaskInstance, random: Random, only: readonly string[] | undefined): LegalPlay;
  readonly keys?: readonly string[];
}

/**
 * Plays uniformly random moves that change something: the baseline of knowing the moves but not looking. In real-time
 * games every key is a move, since time passes; a trapped snake undoes a step.
 * @param only restricts keyboard games to these keys; repeating a key raises its odds.
 * @throws GyreError `bad_input` for unlisted families and unknown keys.
 */
export function playLegally(instance: TaskInstance, seed: string, only?: readonly string[]): LegalPlay {
  const { family } = instance.task;
  const playable = playables[family];
  if (!playable) {
    throw new GyreError('bad_input', `legal play does not support ${family}`, {
      field: 'family',
      fix: `use one of ${Object.keys(playables).join(', ')}`,
    });
  }
  const { keys = [] } = playable;
  const unknownKey = only?.find((key) => !keys.includes(key));
  if (unknownKey !== undefined || only?.length === 0) {
    throw new GyreError(
      'bad_input',
      unknownKey === undefined ? `no key is given for ${family}` : `${family} does not use the key "${unknownKey}"`,
      {
        field: 'only',
        fix: keys.length > 0 ? `use some of ${keys.join(', ')}` : 'omit it',
      },
    );
  }
  return playable.play(instance, new Random(seed), only);
}

/** All moves of a level, legal or not. */
const playables: Readonly<Record<string, Playable>> = {
  2048: byKeys(game2048, ways),
  platformer: byKeys(platformer, keysOfPlatformer),
  snakeSolver: byKeys(snakeSolver, arrows, 'undo'),
  sokoban: byKeys(sokoban, arrows),
  cubinko: byKeys(cubinko, arrows),
  tetris: byKeys(tetris, keysOfTetris),
  mergeAndDouble: playOf(mergeAndDouble, ({ columns, rows }) => indices(columns * rows)),
  gem11: playOf(gem11, ({ columns, rows }) =>
    indices(columns * rows).flatMap((from) => [-1, 1, -columns, columns].map((step) => ({ from, to: from + step }))),
  ),
  hexFrvr: fillingOf(hexFrvr),
  woodBlocks3d: fillingOf(woodBlocks3d),
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

function playOf<Level, State, Move>(
  game: Game<Level, State, Move>,
  movesOf: (level: Level) => readonly Move[],
): Playable {
  return {
    play: ({ task, page }, random) => {
      const { level } = page.argument as GameArgument<Level>;
      return played(game, level, { moves: movesOf(level), budget: task.stepBudget, random });
    },
  };
}

/** A board has fewer than four times `side` squared cells. */
function fillingOf(game: Game<FillLevel, FillState, PiecePlacement>): Playable {
  return playOf(game, ({ side }) =>
    [0, 1, 2].flatMap((slot) => indices(4 * side * side).map((place) => ({ slot, place }))),
  );
}

/** @param wayOut for games that may run out of other moves. */
function byKeys<Level, State, Move>(
  game: Game<Level, State, Move>,
  keys: readonly (Move & string)[],
  wayOut?: Move,
): Playable {
  return {
    keys,
    play: ({ task, page }, random, only) => {
      const { level } = page.argument as GameArgument<Level>;
      const moves = only?.filter((key): key is Move & string => (keys as readonly string[]).includes(key)) ?? keys;
      return played<Level, State, Move>(game, level, { moves, budget: task.stepBudget, random, wayOut });
    },
  };
}

function played<Level, State, Move>(
  game: Game<Level, State, Move>,
  level: Level,
  {
    moves: allMoves,
    budget,
    random,
    wayOut,
  }: { moves: readonly Move[]; budget: number; random: Random; wayOut?: Move },
): LegalPlay {
  let state = game.start(level);
  for (let moves = 0; ; moves++) {
    const status = game.status(state, level);
    if (status.over || moves === budget) return { ...status, moves };
    const after = (move: Move) => afterAction(game, state, move, level);
    const legal = allMoves.map(after).filter((next) => next !== state);
    if (legal.length > 0) state = random.pick(legal);
    else if (wayOut !== undefined) state = after(wayOut);
    else return { ...status, moves };
  }
}

function indices(count: number): number[] {
  return [...Array(count).keys()];
}
