import { drawFrom } from '../rules/chance.js';

export interface Swap {
  readonly from: number;
  readonly to: number;
}

export const columns = 8;
const places = 64;

const columnOf = (place: number) => place % columns;

export const areNeighbours = ({ from, to }: Swap): boolean =>
  Math.abs(from - to) === columns || (Math.abs(from - to) === 1 && from >> 3 === to >> 3);

export function swapped(cells: readonly number[], { from, to }: Swap): number[] {
  const after = [...cells];
  [after[from], after[to]] = [cells[to] ?? 0, cells[from] ?? 0];
  return after;
}

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

export function matches(cells: readonly number[]): number[] {
  const matchedPlaces: number[] = [];
  for (let place = 0; place < places; place++) if (isInLine(cells, place)) matchedPlaces.push(place);
  return matchedPlaces;
}

/** Yields the swaps that make a line. 0 is an unknown candy. */
export function* swapsOf(cells: readonly number[]): Generator<Swap> {
  const tried = [...cells];
  for (let from = 0; from < places; from++) {
    for (const to of columnOf(from) < columns - 1 ? [from + 1, from + columns] : [from + columns]) {
      const [fromKind, toKind] = [cells[from] ?? 0, cells[to] ?? 0];
      if (fromKind === 0 || toKind === 0 || fromKind === toKind) continue;
      tried[from] = toKind;
      tried[to] = fromKind;
      if (isInLine(tried, from) || isInLine(tried, to)) yield { from, to };
      tried[from] = fromKind;
      tried[to] = toKind;
    }
  }
}

/** Drops candies above removed ones; 0 marks cells to refill. */
export function collapse(cells: readonly number[], gone: readonly number[]): number[] {
  const remaining = [...cells];
  for (const place of gone) remaining[place] = 0;
  const after = new Array<number>(places).fill(0);
  for (let column = 0; column < columns; column++) {
    let to = places - columns + column;
    for (let from = to; from >= 0; from -= columns) {
      const kind = remaining[from] ?? 0;
      if (kind === 0) continue;
      after[to] = kind;
      to -= columns;
    }
  }
  return after;
}

/** `gone` counts the removed candies. */
export interface Settled {
  readonly cells: number[];
  readonly gone: number;
  readonly seed: number;
}

/** Removes lines and refills until none is left; shuffles if no swap is useful. */
export function settle(cells: readonly number[], kinds: number, seed: number): Settled {
  let now = [...cells];
  let [gone, next] = [0, seed];
  const draw = () => {
    const { value, next: after } = drawFrom(next);
    next = after;
    return value;
  };
  for (let matched = matches(now); matched.length > 0; matched = matches(now)) {
    gone += matched.length;
    now = collapse(now, matched).map((kind) => (kind === 0 ? 1 + Math.floor(draw() * kinds) : kind));
  }
  while (swapsOf(now).next().done === true || matches(now).length > 0) {
    for (let place = places - 1; place > 0; place--) {
      now = swapped(now, { from: place, to: Math.floor(draw() * (place + 1)) });
    }
  }
  return { cells: now, gone, seed: next };
}

export function firstBoard(kinds: number, seed: number): Settled {
  // Candies removed before the first move score nothing.
  const drawn: number[] = [];
  let next = seed;
  while (drawn.length < places) {
    const { value, next: after } = drawFrom(next);
    next = after;
    drawn.push(1 + Math.floor(value * kinds));
  }
  return settle(drawn, kinds, next);
}
