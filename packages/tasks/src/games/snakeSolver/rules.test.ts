import { describe, expect, test } from 'vitest';
import { type LevelSnake, type MoveSnake, snakeSolver } from './rules.js';

/** Digits are the body from its head 0; `f` fruit, `o` exit. */
function levelOf(gravity: boolean, ...lines: string[]): LevelSnake {
  const text = lines.join('');
  const where = (kind: string) => [...text].flatMap((cell, index) => (cell === kind ? [index] : []));
  const body = [0, 1, 2].map((digit) => text.indexOf(String(digit)));
  return {
    ...{ difficulty: 1, columns: lines[0]?.length ?? 0, rows: lines.length, gravity },
    ...{ cells: text.replace(/[\dfo]/g, ' '), body, fruit: where('f'), exit: text.indexOf('o') },
  };
}

const play = (level: LevelSnake, ...moves: MoveSnake[]) =>
  moves.reduce((state, move) => snakeSolver.move(state, move, level), snakeSolver.start(level));

describe('the snake', () => {
  const lane = levelOf(false, '########', '#210f o#', '########');

  test('grows by a cell with a fruit, and is out when all are eaten', () => {
    expect(play(lane, 'ArrowRight')).toMatchObject({ body: [12, 11, 10, 9], fruit: [] });
    const out = play(lane, 'ArrowRight', 'ArrowRight', 'ArrowRight');
    expect(out.body).toEqual([14, 13, 12, 11]);
    expect(snakeSolver.status(out, lane)).toMatchObject({ score: 2, won: true });
  });

  test('goes neither into walls nor into itself', () => {
    const start = snakeSolver.start(lane);
    for (const arrow of ['ArrowUp', 'ArrowLeft'] as const) expect(snakeSolver.move(start, arrow, lane)).toBe(start);
  });

  test('may follow its own tail, and takes steps back', () => {
    const ring = levelOf(false, '######', '#f01 #', '#  2o#', '######');
    const grown = play(ring, 'ArrowLeft');
    expect(grown.body).toEqual([7, 8, 9, 15]);
    const round = play(ring, 'ArrowLeft', 'ArrowDown', 'ArrowRight', 'ArrowUp');
    expect(round.body).toEqual([8, 14, 13, 7]);
    expect(play(ring, 'ArrowLeft', 'ArrowDown', 'undo')).toEqual(grown);
    expect(play(ring, 'ArrowLeft', 'ArrowDown', 'restart')).toEqual(snakeSolver.start(ring));
  });

  test('falls with gravity until something holds it; water can only be taken back', () => {
    const ledge = levelOf(true, '#######', '#210  #', '#### o#', '#    ##', '#~~~~##', '#######');
    const supported = play(ledge, 'ArrowRight');
    expect(supported.body).toEqual([11, 10, 9]);
    const out = play(ledge, 'ArrowRight', 'ArrowRight', 'ArrowDown');
    expect(snakeSolver.status(out, ledge).won).toBe(true);
    const off = levelOf(true, '#######', '#210  #', '##    #', '# o   #', '#~~~~~#', '#######');
    const drowned = play(off, 'ArrowRight');
    expect(drowned.sunk).toBe(true);
    expect(snakeSolver.move(drowned, 'ArrowUp', off)).toBe(drowned);
    expect(snakeSolver.hint(drowned, off)).toBe('undo');
  });
});
