import type { Random } from '@gyre/engine';

/** A game with known advantages. A bad move costs one of the lives; surviving the last turn wins. */
export interface Game {
  readonly turns: number;
  readonly lives: number;
  readonly gamma: number;
  readonly move: number;
  readonly win: number;
  readonly loss: number;
  /** Chance of a good move. `trained` is the share of training done. */
  readonly skill: (difficulty: number, trained: number) => number;
  readonly difficulties: readonly number[];
  readonly batch: number;
}

export interface KnownDecision {
  readonly turn: number;
  readonly return: number;
  /** Return minus the expected return at this turn and difficulty. */
  readonly ideal: number;
  readonly advantage: number;
}

export interface KnownEpisode {
  readonly difficulty: number;
  readonly decisions: readonly KnownDecision[];
}

export function playGame(game: Game, trained: number, random: Random): KnownEpisode[] {
  const solved = new Map(
    game.difficulties.map((difficulty) => [difficulty, solve(game, game.skill(difficulty, trained))]),
  );
  const episodes: KnownEpisode[] = [];
  for (let decisions = 0; decisions < game.batch;) {
    const difficulty = game.difficulties[random.int(game.difficulties.length)] ?? 0;
    const episode = play(game, game.skill(difficulty, trained), solved.get(difficulty)!, random);
    episodes.push({ difficulty, decisions: episode });
    decisions += episode.length;
  }
  return episodes;
}

interface Solved {
  /** `[turn][lives]` */
  readonly values: number[][];
  /** Mean value at a turn, `[turn]`. */
  readonly expected: number[];
}

function afterwards({ turns, win, loss, gamma }: Game, values: number[][], turn: number, lives: number): number {
  if (lives === 0) return loss;
  return turn === turns - 1 ? win : gamma * (values[turn + 1]?.[lives] ?? 0);
}

function solve(game: Game, skill: number): Solved {
  const { turns, lives: maxLives, move } = game;
  const values: number[][] = Array.from({ length: turns }, () => []);
  for (let turn = turns - 1; turn >= 0; turn--)
    for (let lives = 1; lives <= maxLives; lives++)
      values[turn]![lives] =
        skill * (move + afterwards(game, values, turn, lives)) +
        (1 - skill) * afterwards(game, values, turn, lives - 1);
  const expected: number[] = [];
  let reached = Array.from({ length: maxLives + 1 }, (_, lives): number => (lives === maxLives ? 1 : 0));
  for (let turn = 0; turn < turns; turn++) {
    const alive = reached.reduce((sum, share, lives) => sum + (lives > 0 ? share : 0), 0);
    expected.push(
      reached.reduce((sum, share, lives) => sum + (lives > 0 ? share * (values[turn]?.[lives] ?? 0) : 0), 0) / alive,
    );
    reached = reached.map((share, lives) => (lives > 0 ? skill * share : 0) + (1 - skill) * (reached[lives + 1] ?? 0));
  }
  return { values, expected };
}

function play(game: Game, skill: number, { values, expected }: Solved, random: Random): KnownDecision[] {
  const moves: { reward: number; advantage: number }[] = [];
  let lives = game.lives;
  for (let turn = 0; turn < game.turns && lives > 0; turn++) {
    const value = values[turn]?.[lives] ?? 0;
    const good = random.next() < skill;
    if (!good) lives--;
    const gained = good ? game.move : 0;
    const ended = lives === 0 ? game.loss : turn === game.turns - 1 ? game.win : 0;
    moves.push({ reward: gained + ended, advantage: gained + afterwards(game, values, turn, lives) - value });
  }
  const decisions: KnownDecision[] = [];
  let following = 0;
  for (const [turn, { reward, advantage }] of [...moves.entries()].reverse()) {
    following = reward + game.gamma * following;
    decisions.unshift({ turn, return: following, ideal: following - (expected[turn] ?? 0), advantage });
  }
  return decisions;
}
