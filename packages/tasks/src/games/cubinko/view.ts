import { type CubeLevel, type CubeState, facesOf } from './board.js';
import { type Way, stepOf, ways } from './cube.js';
import {
  type Projection,
  type Vector,
  drawCube,
  drawMark,
  drawMarkIn,
  groundAt,
  projectionFor,
  trace,
} from './draw.js';
import { cubinko } from './rules.js';
import type { Palette, ScreenSize, View } from '../game.js';
import { type Frame, drawEnd, drawGround, middle, pieceColour, shade, tile } from '../drawing/kit.js';
import { boardAndSide, captionCard, factCard } from '../drawing/side.js';

type Pen = CanvasRenderingContext2D;

const projectionOf = (size: ScreenSize, { columns, rows }: CubeLevel): Projection =>
  projectionFor(boardAndSide(size).board, columns, rows);

export const cubinkoView: View<CubeLevel, CubeState, Way> = {
  animationMs: 100,
  draw(pen, scene) {
    const { size, palette, level, state, change } = scene;
    const projection = projectionOf(size, level);
    drawGround(pen, scene, 'Cubinko', [`rolls ${scene.moves}`]);
    const { side } = boardAndSide(size);
    const facts = Math.round(side.height * 0.3);
    const upper = { ...side, height: side.height - facts - 8 };
    drawNet(pen, captionCard(pen, upper, palette, 'unfolded'), facesOf(state, level), palette);
    const lower = { ...side, y: side.y + side.height - facts, height: facts };
    factCard(pen, lower, palette, { caption: 'lit', fact: `${state.lit.length}/${level.goals.length}` });
    const drawnState = change ? change.before : state;
    for (const [place, isThere] of level.tiles.entries()) {
      if (isThere) drawTile(pen, projection, place, level, drawnState, palette);
    }
    drawShadow(pen, projection, drawnState.at, level);
    const lean = change?.share ?? 0;
    drawCube(
      pen,
      projection,
      {
        column: drawnState.at % level.columns,
        row: Math.floor(drawnState.at / level.columns),
        faces: facesOf(drawnState, level),
        lean,
        ...(change && { toward: stepOf[change.move] }),
      },
      palette,
    );
    drawEnd(pen, scene);
  },
  read(input, { at: place }, level, size) {
    if (input.type === 'key') return ways.find((way) => way === input.key);
    if (input.type !== 'press') return undefined;
    const { x, y } = groundAt(projectionOf(size, level), input.spot);
    const [across, down] = [Math.floor(x) - (place % level.columns), Math.floor(y) - Math.floor(place / level.columns)];
    return ways.find((way) => stepOf[way].across === across && stepOf[way].down === down);
  },
  write: (way) => ({ type: 'key', key: way }),
  say(direction, state, level) {
    const lights = cubinko.move(state, direction, level).lit.length > state.lit.length;
    const roll = `roll ${direction.slice('Arrow'.length).toLowerCase()}`;
    return lights ? `${roll}: the matching face comes down on its tile` : roll;
  },
};

function drawTile(
  pen: Pen,
  projection: Projection,
  place: number,
  level: CubeLevel,
  { lit }: CubeState,
  palette: Palette,
) {
  const [column, row] = [place % level.columns, Math.floor(place / level.columns)];
  const goal = level.goals.findIndex((other) => other.place === place);
  const colour = level.goals[goal]?.colour;
  const isLit = goal >= 0 && lit.includes(goal);
  const square = (gap: number, z: number): Vector[] => [
    [column + gap, row + gap, z],
    [column + 1 - gap, row + gap, z],
    [column + 1 - gap, row + 1 - gap, z],
    [column + gap, row + 1 - gap, z],
  ];
  const gap = 0.03;
  const fill = (corners: readonly Vector[], paint: string) => {
    trace(pen, projection, corners);
    pen.fillStyle = paint;
    pen.fill();
  };
  const base = isLit && colour !== undefined ? pieceColour(palette, colour) : shade(palette.hole, 0.16);
  const [, east, south, west] = square(gap, 0);
  if (east && south && west) {
    const down = ([x, y]: Vector): Vector => [x, y, -0.15];
    fill([west, south, down(south), down(west)], shade(base, -0.3));
    fill([south, east, down(east), down(south)], shade(base, -0.45));
  }
  fill(square(gap, 0), base);
  if (colour === undefined) return;
  const paint = pieceColour(palette, colour);
  if (isLit) {
    fill(square(0.14, 0), shade(paint, 0.75));
  } else {
    fill(square(0.14, 0), paint);
  }
  const spot = { middle: [column + 0.5, row + 0.5, 0], across: [0.8, 0, 0], down: [0, 0.8, 0] } as const;
  drawMarkIn(pen, projection, spot, colour, isLit ? shade(paint, -0.1) : '#ffffff');
}

function drawShadow(pen: Pen, projection: Projection, place: number, { columns }: CubeLevel) {
  const [column, row] = [place % columns, Math.floor(place / columns)];
  const corners: readonly Vector[] = [
    [column, row, 0],
    [column + 1.22, row + 0.12, 0],
    [column + 1.22, row + 1.1, 0],
    [column + 0.1, row + 1.1, 0],
  ];
  pen.globalAlpha = 0.22;
  pen.fillStyle = '#000000';
  trace(pen, projection, corners);
  pen.fill();
  pen.globalAlpha = 1;
}

/** Draws the unfolded cube: bottom, the faces that rolls bring down, and the top at the end. */
function drawNet(pen: Pen, frame: Frame, faces: readonly number[], palette: Palette) {
  const side = Math.floor(Math.min((frame.width - 8) / 3, (frame.height - 6) / 4));
  const netX = frame.x + (frame.width - 3 * side) / 2;
  const top = frame.y + (frame.height - 4 * side) / 2 - 2;
  /** Columns and rows in the order of `sides`. */
  const cells = [[1, 1], [1, 0], [2, 1], [1, 2], [0, 1], [1, 3]] as const; // prettier-ignore
  for (const [index, [column, row]] of cells.entries()) {
    const place = { x: netX + column * side, y: top + row * side, width: side, height: side };
    tile(pen, place, pieceColour(palette, faces[index] ?? 0), side * 0.14);
    const centre = middle(place);
    pen.save();
    pen.translate(centre.x, centre.y - side * 0.02);
    pen.scale(side, side);
    drawMark(pen, faces[index] ?? 0, '#ffffff');
    pen.restore();
  }
  pen.strokeStyle = palette.text;
  pen.lineWidth = Math.max(2, side * 0.1);
  pen.beginPath();
  pen.roundRect(netX + side, top + side, side, side, side * 0.14);
  pen.stroke();
}
