import type { Watch, WatchTools } from '../family/watch.js';

export interface MazeArgument {
  /** Tiles along each side. */
  readonly side: number;
  /** Per tile the bits of its open ways: 1 up, 2 right, 4 down, 8 left. */
  readonly openings: readonly number[];
  readonly start: number;
  readonly goal: number;
  /** Moves from every tile to the goal. */
  readonly distances: readonly number[];
  /** What must be fetched before the goal counts: its tile, and the moves from every tile to it. */
  readonly key?: { readonly tile: number; readonly distances: readonly number[] };
  readonly mostMoves: number;
  /** Side of a tile in px. */
  readonly tile: number;
}

/**
 * Keeps the game: where the hero stands, whether it has the key, and how many moves were made. Every trusted arrow key is a move, also
 * against a wall. Runs in the page: it refers to nothing outside itself.
 */
export function watchMaze(maze: MazeArgument, _tools: WatchTools): Watch {
  const { side, openings, start, goal, distances, key, mostMoves, tile } = maze;
  const ways = ['ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowLeft'];
  const strides = [-side, 1, side, -1];
  const path = [start];
  let position = start;
  let facing = 2;
  let moves = 0;
  let held = key === undefined;
  const arrived = () => held && position === goal;
  const isDone = () => arrived() || moves >= mostMoves;
  /** Moves to whatever comes next, from a tile. */
  const toNext = (from: number) => (held ? distances : key?.distances)?.[from] ?? Infinity;
  /** Moves that are left, from where the hero stands. */
  const left = () => toNext(position) + (held ? 0 : (distances[key?.tile ?? goal] ?? 0));
  const whole = left();

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
    document.querySelector('.screen')?.classList.toggle('held', held);
  };

  document.addEventListener(
    'keydown',
    (event) => {
      const way = ways.indexOf(event.key);
      if (way < 0) return;
      event.preventDefault();
      if (!event.isTrusted || event.repeat || isDone()) return;
      moves++;
      facing = way;
      if ((openings[position] ?? 0) & (1 << way)) {
        position += strides[way] ?? 0;
        path.push(position);
        held ||= position === key?.tile;
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
        score: success ? 1 : Math.max(0, (whole - left()) / whole),
        // Each tile nearer is worth something at once, and costs it again when walked back.
        reward: (success ? 1 : 0) - 0.02 * moves + 0.1 * (whole - left()),
        evidence: { position, goal, moves, path, shortest: whole, ...(key && { held }) },
      };
    },
    solve() {
      if (isDone()) return [];
      const way = strides.findIndex(
        (stride, index) =>
          ((openings[position] ?? 0) & (1 << index)) !== 0 && toNext(position + stride) < toNext(position),
      );
      return [{ type: 'hotkey', keys: (ways[way] ?? '').toLowerCase() }];
    },
  };
}
