import { drawFrom } from '../rules/chance.js';

/** Two places that change what lies on them. */
export interface Swap {
  readonly from: number;
  readonly to: number;
}

/** Width and height of every board. */
export const columns = 8;
export const places = 64;

const columnOf = (place: number) => place % columns;

export const areNeighbours = ({ from, to }: Swap): boolean =>
  Math.abs(from - to) === columns || (Math.abs(from - to) === 1 && from >> 3 === to >> 3);

export function swapped(cells: readonly number[], { from, to }: Swap): number[] {
  const after = [...cells];
  [after[from], after[to]] = [cells[to] ?? 0, cells[from] ?? 0];
  return after;
}

/** Whether a place is in a line of three or more of its kind. */
function isInLine(cells: readonly number[], place: number): boolean {
  const kind = cells[place] ?? 0;
  if (kind === 0) return false;
  const column = columnOf(place);
  let [across, down] = [1, 1];
  for (let at = place - 1; at >= place - column && cells[at] === kind; at--) across++;
  for (let at = place + 1; at < place - column + columns && cells[at] === kind; at++) across++;
  for (let at = place - columns; at >= 0 && cells[at] === kind; at -= columns) down++;
  for (let at = place + columns; at < places && cells[at] === kind; at += columns) down++;
  return across > 2 || down > 2;
}

/** All places in lines of three or more. */
export function matches(cells: readonly number[]): number[] {
  const found: number[] = [];
  for (let place = 0; place < places; place++) if (isInLine(cells, place)) found.push(place);
  return found;
}

/** The swaps of a board that make a line. 0 is a place whose candy is not known; it is not swapped. */
export function* swapsOf(cells: readonly number[]): Generator<Swap> {
  const tried = [...cells];
  for (let from = 0; from < places; from++) {
    for (const to of columnOf(from) < columns - 1 ? [from + 1, from + columns] : [from + columns]) {
      const [one, other] = [cells[from] ?? 0, cells[to] ?? 0];
      if (one === 0 || other === 0 || one === other) continue;
      tried[from] = other;
      tried[to] = one;
      if (isInLine(tried, from) || isInLine(tried, to)) yield { from, to };
      tried[from] = one;
      tried[to] = other;
    }
  }
}

/** Takes candies away, lets fall what is above, and leaves 0 where new ones are to come. */
export function collapse(cells: readonly number[], gone: readonly number[]): number[] {
  const left = [...cells];
  for (const place of gone) left[place] = 0;
  const after = new Array<number>(places).fill(0);
  for (let column = 0; column < columns; column++) {
    let to = places - columns + column;
    for (let from = to; from >= 0; from -= columns) {
      const kind = left[from] ?? 0;
      if (kind === 0) continue;
      after[to] = kind;
      to -= columns;
    }
  }
  return after;
}

/** A board after all that follows from lines on it. `gone` counts the candies that vanished. */
export interface Settled {
  readonly cells: number[];
  readonly gone: number;
  readonly seed: number;
}

/** Lets lines vanish and new candies come until there is no line left; shuffles a board that no swap helps. */
export function settle(cells: readonly number[], kinds: number, seed: number): Settled {
  let now = [...cells];
  let [gone, next] = [0, seed];
  const draw = () => {
    const { value, next: after } = drawFrom(next);
    next = after;
    return value;
  };
  for (let found = matches(now); found.length > 0; found = matches(now)) {
    gone += found.length;
    now = collapse(now, found).map((kind) => (kind === 0 ? 1 + Math.floor(draw() * kinds) : kind));
  }
  while (swapsOf(now).next().done === true || matches(now).length > 0) {
    for (let place = places - 1; place > 0; place--) {
      now = swapped(now, { from: place, to: Math.floor(draw() * (place + 1)) });
    }
  }
  return { cells: now, gone, seed: next };
}

/** A board without lines on which some swap makes one. */
export function firstBoard(kinds: number, seed: number): Settled {
  // What vanishes before the first move does not count.
  const drawn: number[] = [];
  let next = seed;
  while (drawn.length < places) {
    const { value, next: after } = drawFrom(next);
    next = after;
    drawn.push(1 + Math.floor(value * kinds));
  }
  return settle(drawn, kinds, next);
}
