// Tetris as LMGame-Bench plays it, to choose placements by and to count with: 1 point a piece, 10 a line.

const width = 10;
const height = 20;

/** As they appear. */
const shapes = {
  I: ['....', 'XXXX', '....', '....'],
  O: ['XX', 'XX'],
  T: ['.X.', 'XXX', '...'],
  S: ['.XX', 'XX.', '...'],
  Z: ['XX.', '.XX', '...'],
  J: ['X..', 'XXX', '...'],
  L: ['..X', 'XXX', '...'],
};

const turned = (rows) =>
  rows.map((_, row) =>
    rows
      .map((line) => line[row])
      .reverse()
      .join(''),
  );
const cellsOf = (rows) =>
  rows.flatMap((line, row) => [...line].flatMap((sign, column) => (sign === 'X' ? [[row, column]] : [])));

/** Counts the points of placements that it chooses. */
export class TetrisBot {
  board = Array.from({ length: height }, () => Array.from({ length: width }, () => false));
  points = 0;
  lines = 0;

  /** Returns the keys that place a piece, the last of which drops it. */
  place(name) {
    const options = [];
    for (let turns = 0; turns < 4; turns++) {
      for (let shift = -6; shift <= 6; shift++) {
        const keys = [
          ...Array.from({ length: turns }, () => 'up'),
          ...Array.from({ length: Math.abs(shift) }, () => (shift < 0 ? 'left' : 'right')),
          'space',
        ];
        const result = this.#play(name, keys);
        if (result) options.push({ keys, ...result });
      }
    }
    const best = options.sort((a, b) => a.cost - b.cost)[0];
    if (!best) return undefined;
    this.board = best.board;
    this.lines += best.lines;
    this.points += 1 + 10 * best.lines;
    return best.keys;
  }

  /** Returns undefined if the piece lands before the keys are over. */
  #play(name, keys) {
    let rows = shapes[name];
    let [x, y] = [Math.floor(18 / 2) - Math.floor(rows.length / 2) - 4, 0];
    const free = (shape, column, row) =>
      cellsOf(shape).every(([down, right]) => this.board[row + down]?.[column + right] === false);
    if (!free(rows, x, y)) return undefined;
    for (const key of keys) {
      if (key === 'space') {
        while (free(rows, x, y + 1)) y++;
        return this.#land(rows, x, y);
      }
      const shape = key === 'up' ? turned(rows) : rows;
      const column = x + (key === 'left' ? -1 : key === 'right' ? 1 : 0);
      if (free(shape, column, y)) [rows, x] = [shape, column];
      if (!free(rows, x, y + 1)) return undefined;
      y++;
    }
  }

  #land(rows, x, y) {
    const board = this.board.map((line) => [...line]);
    for (const [down, right] of cellsOf(rows)) board[y + down][x + right] = true;
    const rest = board.filter((line) => line.includes(false));
    const lines = height - rest.length;
    const after = [...Array.from({ length: lines }, () => Array.from({ length: width }, () => false)), ...rest];
    let [holes, tall] = [0, 0];
    for (let column = 0; column < width; column++) {
      const top = after.findIndex((line) => line[column]);
      if (top < 0) continue;
      tall += (height - top) ** 2;
      holes += after.slice(top).filter((line) => !line[column]).length;
    }
    return { board: after, lines, cost: 30 * holes + tall - 20 * lines };
  }
}
