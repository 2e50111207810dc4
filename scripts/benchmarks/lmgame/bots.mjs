// Bots that read LMGame-Bench's text and play with gyre's actions, and counts of their own.

/** Returns what the game said last. */
export const textOf = ({ task, start, turns }) =>
  turns.at(-1)?.observation.results?.findLast(({ kind }) => kind === 'notice')?.text ??
  start.results?.at(-1)?.text ??
  task.instruction.slice(task.instruction.indexOf('\n\n') + 2);

export const hotkey = (...keys) => ({ type: 'hotkey', keys: keys.join(' ') });

const candySize = { width: 256, height: 304, tile: 32 };
export const candy = ([row, column]) => ({
  x: (candySize.tile * (column + 0.5)) / candySize.width,
  y: (candySize.tile * (row + 0.5)) / candySize.height,
});

/** Returns two neighbours whose swap puts three of a colour in line. */
export function findSwap(text) {
  const board = [...text.matchAll(/^\d\| (.*)$/gm)].map(([, row]) => row.split(' '));
  const makesLine = (grid) =>
    grid.some((line, row) =>
      line.some(
        (colour, column) =>
          (colour === line[column + 1] && colour === line[column + 2]) ||
          (colour === grid[row + 1]?.[column] && colour === grid[row + 2]?.[column]),
      ),
    );
  for (let row = 0; row < board.length; row++) {
    for (let column = 0; column < board.length; column++) {
      for (const [down, right] of [
        [0, 1],
        [1, 0],
      ]) {
        const neighbour = [row + down, column + right];
        if (board[neighbour[0]]?.[neighbour[1]] === undefined) continue;
        const grid = board.map((line) => [...line]);
        [grid[row][column], grid[neighbour[0]][neighbour[1]]] = [board[neighbour[0]][neighbour[1]], board[row][column]];
        if (makesLine(grid)) return [[row, column], neighbour];
      }
    }
  }
  return [
    [0, 0],
    [0, 1],
  ];
}

/** Returns the sum of the tiles that merge when a board of powers slides. */
export function merged(board, action) {
  const lines =
    action === 'left' || action === 'right' ? board : board.map((_, column) => board.map((line) => line[column]));
  const forwards = action === 'left' || action === 'up';
  let sum = 0;
  for (const line of lines) {
    const powers = (forwards ? line : [...line].reverse()).filter((power) => power > 0);
    for (let index = 0; index + 1 < powers.length; index++) {
      if (powers[index] !== powers[index + 1]) continue;
      sum += 2 ** (powers[index] + 1);
      index++;
    }
  }
  return sum;
}
