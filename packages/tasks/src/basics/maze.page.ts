import type { PageVerifier } from '../family/pageVerifier.js';

export interface MazeArgument {
  readonly side: number;
  /** Bits of each tile's open sides: 1 up, 2 right, 4 down, 8 left. */
  readonly openings: readonly number[];
  readonly start: number;
  readonly goal: number;
  /** Moves from every tile to the goal. */
  readonly distances: readonly number[];
  /** To be fetched first, with moves from every tile to it. */
  readonly key?: { readonly tile: number; readonly distances: readonly number[] };
  readonly maxMoves: number;
  /** px */
  readonly tile: number;
}

/** Every trusted arrow key is a move, even against a wall. */
export default function mazeVerifier(maze: MazeArgument): PageVerifier {
  const { side, openings, start, goal, distances, key, maxMoves, tile } = maze;
  const arrows = ['ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowLeft'];
  const strides = [-side, 1, side, -1];
  const path = [start];
  let position = start;
  let facing = 2;
  let moves = 0;
  let hasKey = key === undefined;
  const arrived = () => hasKey && position === goal;
  const isDone = () => arrived() || moves >= maxMoves;
  /** Moves to the next target: the key, then the goal. */
  const toNext = (from: number) => (hasKey ? distances : key?.distances)?.[from] ?? Infinity;
  const remaining = () => toNext(position) + (hasKey ? 0 : (distances[key?.tile ?? goal] ?? 0));
  const shortest = remaining();

  const draw = () => {
    const hero = document.querySelector('.hero');
    hero?.setAttribute('transform', `translate(${(position % side) * tile} ${Math.floor(position / side) * tile})`);
    hero?.setAttribute('data-facing', String(facing));
    const counter = document.querySelector('.moves');
    if (counter) counter.textContent = String(moves);
    for (const [index, print] of document.querySelectorAll('.print').entries()) {
      print.classList.toggle('seen', path.includes(index) && index !== position && index !== goal);
    }
    document.querySelector('.board')?.classList.toggle('won', arrived());
    document.querySelector('.screen')?.classList.toggle('held', hasKey);
  };

  document.addEventListener(
    'keydown',
    (event) => {
      const direction = arrows.indexOf(event.key);
      if (direction < 0) return;
      event.preventDefault();
      if (!event.isTrusted || event.repeat || isDone()) return;
      moves++;
      facing = direction;
      if ((openings[position] ?? 0) & (1 << direction)) {
        position += strides[direction] ?? 0;
        path.push(position);
        hasKey ||= position === key?.tile;
      }
      draw();
    },
    true,
  );

  return {
    read() {
      const success = arrived();
      return {
        done: isDone(),
        success,
        score: success ? 1 : Math.max(0, (shortest - remaining()) / shortest),
        // A closer tile pays at once; walking back takes it back.
        reward: (success ? 1 : 0) - 0.02 * moves + 0.1 * (shortest - remaining()),
        evidence: { position, goal, moves, path, shortest, ...(key && { held: hasKey }) },
      };
    },
    solve() {
      if (isDone()) return [];
      const direction = strides.findIndex(
        (stride, index) =>
          ((openings[position] ?? 0) & (1 << index)) !== 0 && toNext(position + stride) < toNext(position),
      );
      return [{ type: 'hotkey', keys: (arrows[direction] ?? '').toLowerCase() }];
    },
  };
}
