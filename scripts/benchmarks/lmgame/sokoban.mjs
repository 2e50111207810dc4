// A breadth-first solver of Sokoban, and its own count of boxes on docks.

const steps = { up: [-1, 0], down: [1, 0], left: [0, -1], right: [0, 1] };

/** Reads GamingAgent's levels.txt. */
export function readLevels(text) {
  const blocks = text.split(/Level\s+\d+/).map((block) => block.split('\n').map((line) => line.trim()));
  return blocks.map((lines) => lines.filter((line) => line !== '')).filter((lines) => lines.length > 0);
}

/** Returns the shortest solution's moves: { direction, push }. */
export function solve(lines) {
  const find = (...signs) =>
    lines.flatMap((line, row) =>
      [...line].flatMap((sign, column) => (signs.includes(sign) ? [`${row},${column}`] : [])),
    );
  const docks = new Set(find('?', '*'));
  const wall = (row, column) => (lines[row]?.[column] ?? '#') === '#';
  const keyOf = ({ worker, boxes }) => `${worker} ${[...boxes].sort().join(' ')}`;
  let layer = [{ worker: find('@')[0], boxes: new Set(find('$', '*')), moves: undefined }];
  const seen = new Set(layer.map(keyOf));
  while (layer.length > 0) {
    const next = [];
    for (const state of layer) {
      if ([...state.boxes].every((box) => docks.has(box))) return movesOf(state);
      const [row, column] = state.worker.split(',').map(Number);
      for (const [direction, [down, right]] of Object.entries(steps)) {
        const [ahead, beyond] = [1, 2].map((n) => [row + n * down, column + n * right]);
        if (wall(...ahead)) continue;
        const push = state.boxes.has(ahead.join());
        if (push && (wall(...beyond) || state.boxes.has(beyond.join()))) continue;
        const boxes = push ? new Set(state.boxes) : state.boxes;
        if (push) move(boxes, ahead, beyond);
        const then = { worker: ahead.join(), boxes, before: state, move: { direction, push } };
        const key = keyOf(then);
        if (seen.has(key)) continue;
        seen.add(key);
        next.push(then);
      }
    }
    layer = next;
  }
  throw new Error('no solution');
}

function move(boxes, from, to) {
  boxes.delete(from.join());
  boxes.add(to.join());
}

function movesOf(state) {
  const moves = [];
  for (let at = state; at.move; at = at.before) moves.unshift(at.move);
  return moves;
}

/** Counts boxes on docks after `moves` of a level. */
export function boxesOnDocks(lines, moves) {
  const boxes = new Set();
  const docks = new Set();
  let worker;
  lines.forEach((line, row) =>
    [...line].forEach((sign, column) => {
      if ('$*'.includes(sign)) boxes.add(`${row},${column}`);
      if ('?*'.includes(sign)) docks.add(`${row},${column}`);
      if (sign === '@') worker = [row, column];
    }),
  );
  for (const { direction, push } of moves) {
    const [down, right] = steps[direction];
    worker = [worker[0] + down, worker[1] + right];
    if (push) move(boxes, worker, [worker[0] + down, worker[1] + right]);
  }
  return [...boxes].filter((box) => docks.has(box)).length;
}
