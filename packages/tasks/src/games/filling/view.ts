import type { Lattice, PiecePlacement } from './lattice.js';
import { type Layout, type PlacedPiece, cellSpot, fitInto, placePieceAt } from './layout.js';
import { type FillLevel, type FillState, fullLines, spaceFor } from './rules.js';
import type { Palette, ScreenSize, Spot, View } from '../game.js';
import { type Frame, drawEnd, drawGround, middle } from '../drawing/kit.js';
import { boardAndSide, card, rowsOf } from '../drawing/side.js';
import { drawSprite } from '../drawing/sprite.js';

type Pen = CanvasRenderingContext2D;

export interface FillLook {
  readonly title: string;
  readonly latticeOf: (side: number) => Lattice;
  readonly layout: Layout;
  readonly paintBoard: (pen: Pen, board: PlacedPiece, palette: Palette) => void;
  readonly paintHole: (pen: Pen, at: Spot, side: number, palette: Palette) => void;
  readonly paintBlock: (pen: Pen, side: number, kind: number, palette: Palette) => void;
}

export function fillView(look: FillLook): View<FillLevel, FillState, PiecePlacement> {
  return {
    animationMs: 90,
    draw(pen, scene) {
      const { size, palette, level, state, change, drag } = scene;
      const lattice = look.latticeOf(level.side);
      const { board, slots } = arrange(look, size, lattice);
      drawGround(pen, scene, look.title, [`lines ${state.lines}/${level.goal}`, `score ${state.score}`]);
      const centre = middle(board.frame);
      drawSprite(pen, 'board', centre, Math.max(board.frame.width, board.frame.height) / 2 + board.side, (brush) => {
        brush.translate(-centre.x, -centre.y);
        look.paintBoard(brush, board, palette);
        for (const cell of lattice.cells)
          look.paintHole(brush, cellSpot(look.layout, board, cell), board.side, palette);
      });
      const draggedSlot = drag ? slotAt(slots, drag.from) : -1;
      const shape = state.tray[draggedSlot] ?? -1;
      const drawnCells = change ? laid(lattice, change.before, change.move) : state.cells;
      const vanishing = new Set(change ? fullLines(lattice, drawnCells).flat() : []);
      for (const [place, value] of drawnCells.entries()) {
        const scale = change && vanishing.has(place) ? 1 - change.share : 1;
        if (value > 0 && scale > 0.05) drawOn(place, value - 1, scale);
      }
      for (const [index, slot] of slots.entries()) {
        card(pen, slot, palette);
        const waiting = state.tray[index] ?? -1;
        const frame = { x: slot.x + 5, y: slot.y + 5, width: slot.width - 10, height: slot.height - 10 };
        if (index !== draggedSlot) drawPiece(waiting, (cells) => fitInto(look.layout, cells, frame, board.side * 0.85));
      }
      if (drag && shape >= 0) {
        const target = landing(look, lattice, board, state.cells, shape, drag.to) ?? -1;
        pen.globalAlpha = 0.4;
        for (const place of lattice.fits[shape]?.[target] ?? []) drawOn(place, shape, 1);
        pen.globalAlpha = 1;
        drawPiece(shape, (cells) => placePieceAt(look.layout, cells, drag.to, board.side));
      }
      drawEnd(pen, scene);

      function drawOn(place: number, kind: number, scale: number) {
        const cell = lattice.cells[place];
        if (cell) drawBlock(cellSpot(look.layout, board, cell), board.side * scale, kind);
      }
      function drawPiece(kind: number, placing: (cells: Lattice['cells']) => PlacedPiece) {
        const cells = lattice.shapes[kind];
        if (!cells) return;
        const placed = placing(cells);
        for (const cell of cells) drawBlock(cellSpot(look.layout, placed, cell), placed.side, kind);
      }
      function drawBlock(spot: Spot, side: number, kind: number) {
        drawSprite(pen, `block ${kind} ${side}`, spot, side * 0.7, (brush) =>
          look.paintBlock(brush, side, kind, palette),
        );
      }
    },
    read(input, { cells, tray }, level, size) {
      if (input.type !== 'drag') return undefined;
      const lattice = look.latticeOf(level.side);
      const { board, slots } = arrange(look, size, lattice);
      const slot = slotAt(slots, input.from);
      const shape = tray[slot] ?? -1;
      const place = shape < 0 ? undefined : landing(look, lattice, board, cells, shape, input.to);
      return place === undefined ? undefined : { slot, place };
    },
    write({ slot, place }, { tray }, level, size) {
      const lattice = look.latticeOf(level.side);
      const { board, slots } = arrange(look, size, lattice);
      const shape = tray[slot] ?? 0;
      const cell = cellSpot(look.layout, board, lattice.cells[place] ?? [0, 0]);
      const first = firstOf(look, lattice, shape, board.side);
      const from = middle(slots[slot] ?? board.frame);
      return { type: 'drag', from, to: { x: cell.x - first.x, y: cell.y - first.y } };
    },
    say({ slot, place }, state, level) {
      const lattice = look.latticeOf(level.side);
      const full = fullLines(lattice, laid(lattice, state, { slot, place })).length;
      const piece = `the ${['first', 'second', 'third'][slot] ?? ''} piece`;
      return full > 0 ? `${piece} fills ${full === 1 ? 'a line' : `${full} lines`}` : `${piece} fits well here`;
    },
  };
}

function arrange({ layout }: FillLook, size: ScreenSize, lattice: Lattice): { board: PlacedPiece; slots: Frame[] } {
  const { board, side } = boardAndSide(size);
  const margin = Math.round(size.height * 0.02);
  const { x, y, width, height } = board;
  const inner = { x: x + margin, y: y + margin, width: width - 2 * margin, height: height - 2 * margin };
  return { board: fitInto(layout, lattice.cells, inner), slots: rowsOf(side, 3, margin) };
}

const slotAt = (slots: readonly Frame[], { x, y }: Spot) =>
  slots.findIndex((slot) => x >= slot.x && x < slot.x + slot.width && y >= slot.y && y < slot.y + slot.height);

/** From a piece's centre to its first cell, in px. */
const firstOf = ({ layout }: FillLook, { shapes }: Lattice, shape: number, side: number): Spot =>
  placePieceAt(layout, shapes[shape] ?? [], { x: 0, y: 0 }, side).origin;

/** Returns the nearest fitting cell within a cell's distance. */
function landing(
  look: FillLook,
  lattice: Lattice,
  board: PlacedPiece,
  cells: readonly number[],
  shape: number,
  dropSpot: Spot,
): number | undefined {
  const first = firstOf(look, lattice, shape, board.side);
  let nearest: number | undefined;
  let minDistance = 0.9 * board.side;
  for (const [place, cell] of lattice.cells.entries()) {
    const spot = cellSpot(look.layout, board, cell);
    const away = Math.hypot(spot.x - dropSpot.x - first.x, spot.y - dropSpot.y - first.y);
    if (away >= minDistance || !spaceFor(lattice, cells, shape, place)) continue;
    nearest = place;
    minDistance = away;
  }
  return nearest;
}

function laid(lattice: Lattice, { cells, tray }: FillState, { slot, place }: PiecePlacement): readonly number[] {
  const shape = tray[slot] ?? -1;
  const taken = new Set(lattice.fits[shape]?.[place]);
  return cells.map((value, at) => (taken.has(at) ? 1 + shape : value));
}
