import { describe, expect, test } from 'vitest';
import { movesToWin } from '../solving/movesToWin.js';
import { type LevelSokoban, type MoveSokoban, sokoban } from './rules.js';

/** `@` worker, `$` box, `.` target, `#` wall. */
function levelOf(...lines: string[]): LevelSokoban {
  const text = lines.join('');
  const cells = text.replace(/[@$]/g, ' ');
  const boxes = [...text].flatMap((cell, index) => (cell === '$' ? [index] : []));
  return { difficulty: 1, columns: lines[0]?.length ?? 0, rows: lines.length, cells, boxes, worker: text.indexOf('@') };
}

const play = (level: LevelSokoban, ...moves: MoveSokoban[]) =>
  moves.reduce((state, move) => sokoban.move(state, move, level), sokoban.start(level));

describe('sokoban', () => {
  const lane = levelOf('######', '#@$ .#', '######');

  test('a box is pushed one cell ahead, and is home at a target', () => {
    const pushed = play(lane, 'ArrowRight');
    expect(pushed).toMatchObject({ worker: 8, boxes: [9] });
    expect(sokoban.status(pushed, lane)).toMatchObject({ score: 0, won: false });
    expect(sokoban.status(play(lane, 'ArrowRight', 'ArrowRight'), lane)).toMatchObject({
      score: 1,
      progress: 1,
      won: true,
    });
  });

  test('neither a wall nor two boxes in a row let the worker through', () => {
    const full = levelOf('######', '#@$$.#', '######');
    for (const arrow of ['ArrowUp', 'ArrowLeft', 'ArrowRight'] as const) {
      const start = sokoban.start(full);
      expect(sokoban.move(start, arrow, full)).toBe(start);
    }
  });

  test('moves can be taken back, all of them at once too', () => {
    expect(play(lane, 'ArrowRight', 'undo')).toEqual(sokoban.start(lane));
    expect(play(lane, 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'restart')).toEqual(sokoban.start(lane));
    const start = sokoban.start(lane);
    expect(sokoban.move(start, 'undo', lane)).toBe(start);
  });

  test('the solution walks around a box, and takes back what leads nowhere', () => {
    const corner = levelOf('######', '#@ . #', '#  $ #', '#    #', '######');
    expect(movesToWin(sokoban, corner, 9)).toBe(5);
    const lost = play(corner, 'ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowDown', 'ArrowRight');
    expect(lost.boxes).toEqual([22]);
    expect(sokoban.hint(lost, corner)).toBe('undo');
  });
});
