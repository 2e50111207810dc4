import type { Lattice, PiecePlacement } from './lattice.js';
import { lookAhead } from '../solving/lookAhead.js';

type Places = readonly [low: number, high: number];

/** Bit sets for speed. */
interface Board {
  readonly taken: Places;
  readonly tray: readonly number[];
  readonly lines: number;
}

interface Masks {
  readonly lines: readonly Places[];
  readonly fits: readonly (readonly (Places | undefined)[])[];
  readonly near: readonly Places[];
}

function placesOf(places: readonly number[]): Places {
  let [low, high] = [0, 0];
  for (const place of places) {
    if (place < 32) low |= 1 << place;
    else high |= 1 << (place - 32);
  }
  return [low, high];
}

const known = new WeakMap<Lattice, Masks>();

function masksOf(lattice: Lattice): Masks {
  const cached = known.get(lattice);
  if (cached) return cached;
  const masks = {
    lines: lattice.lines.map(placesOf),
    fits: lattice.fits.map((fits) => fits.map((places) => places && placesOf(places))),
    near: lattice.near.map(placesOf),
  };
  known.set(lattice, masks);
  return masks;
}

/** Returns the best laying of the visible pieces; undefined if none fits. */
export function bestPlacement(
  lattice: Lattice,
  cells: readonly number[],
  tray: readonly number[],
  neededLines: number,
): PiecePlacement | undefined {
  const masks = masksOf(lattice);
  const start: Board = {
    taken: placesOf([...cells.keys()].filter((place) => cells[place] !== 0)),
    tray,
    lines: 0,
  };
  const outlook = {
    *moves({ taken, tray: slots }: Board) {
      for (const [slot, shape] of slots.entries()) {
        // Equal pieces in slot order, to avoid duplicate states.
        if (shape < 0 || slots.indexOf(shape) < slot) continue;
        const fits = masks.fits[shape] ?? [];
        for (let place = 0; place < fits.length; place++) {
          const fit = fits[place];
          if (fit && (taken[0] & fit[0]) === 0 && (taken[1] & fit[1]) === 0) yield { slot, place };
        }
      }
    },
    after: (board: Board, move: PiecePlacement) => lay(masks, board, move),
    worth: ({ taken, lines }: Board) => (lines >= neededLines ? Infinity : worthOf(masks, taken) + 14 * lines),
  };
  return lookAhead(outlook, start, { width: 8, depth: 3 });
}

function lay(masks: Masks, board: Board, { slot, place }: PiecePlacement): Board {
  const fit = masks.fits[board.tray[slot] ?? -1]?.[place];
  if (!fit) return board;
  const low = board.taken[0] | fit[0];
  const high = board.taken[1] | fit[1];
  let [lowLeft, highLeft, lines] = [low, high, board.lines];
  for (const line of masks.lines) {
    if ((low & line[0]) !== line[0] || (high & line[1]) !== line[1]) continue;
    lowLeft &= ~line[0];
    highLeft &= ~line[1];
    lines++;
  }
  return { taken: [lowLeft, highLeft], tray: board.tray.map((shape, at) => (at === slot ? -1 : shape)), lines };
}

/** Rewards free cells with free neighbours, and nearly full lines. */
function worthOf({ lines, near }: Masks, [low, high]: Places): number {
  let worth = 0;
  for (let place = 0; place < near.length; place++) {
    const beside = near[place];
    const isTaken = ((place < 32 ? low >>> place : high >>> (place - 32)) & 1) === 1;
    if (isTaken || !beside) continue;
    const open = countOf(~low & beside[0]) + countOf(~high & beside[1]);
    const neighbourCount = countOf(beside[0]) + countOf(beside[1]);
    // Holes with at most one free neighbour are hard to fill.
    worth += 1 - 0.3 * (neighbourCount - open) - (open === 0 ? 4 : open === 1 ? 1.2 : 0);
  }
  for (const line of lines) {
    const taken = countOf(low & line[0]) + countOf(high & line[1]);
    const share = taken / (countOf(line[0]) + countOf(line[1]));
    worth += 3 * share * share;
  }
  return worth;
}

function countOf(bits: number): number {
  let sums = bits - ((bits >>> 1) & 0x55555555);
  sums = (sums & 0x33333333) + ((sums >>> 2) & 0x33333333);
  return Math.imul((sums + (sums >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
