import { drawIcon, iconName } from './icons.js';
import { type Tile, type TilesLevel, type TilesState, isFree, traySize, addToTray } from './tiles.js';
import type { ScreenSize, Spot, View } from '../game.js';
import { type Frame, boardFrame, drawEnd, drawGround, middle, panel } from '../drawing/kit.js';
import { card } from '../drawing/side.js';
import { drawSprite } from '../drawing/sprite.js';

const ivory = '#fffaf0';
const edge = '#c8b48c';

export const tilesMasterView: View<TilesLevel, TilesState, number> = {
  animationMs: 90,
  draw(pen, scene) {
    const { size, palette, level, state, change } = scene;
    const places = arrange(size, level);
    drawGround(pen, scene, 'Tiles', [`left ${state.left.length}`]);
    const { tray, slots, tableOf } = places;
    card(pen, tray, palette);
    for (const slot of slots) panel(pen, inset(slot, 2), slot.width * 0.12, palette.hole);
    for (const index of state.left) {
      const tile = level.tiles[index];
      if (tile) drawTile(pen, tableOf(tile), tile.kind, !isFree(state, level, index));
    }
    const moving = change && level.tiles[change.move];
    if (change && moving) {
      // Three of a kind shrink once the tile has landed.
      const { before, share } = change;
      const isThird = before.tray.filter((kind) => kind === moving.kind).length === 2;
      const part = isThird ? Math.min(1, share * 1.6) : share;
      const slotIndex = before.tray.lastIndexOf(moving.kind) + 1 || before.tray.length;
      const slot = slots[slotIndex] ?? tray;
      for (const [index, kind] of before.tray.entries()) {
        const place =
          slots[
            index >= slotIndex && addToTray(before.tray, moving.kind).length > before.tray.length ? index + 1 : index
          ];
        const scale = isThird && kind === moving.kind ? Math.min(1, (1 - share) * 2.6) : 1;
        if (place) drawTile(pen, scaled(place, scale), kind, false);
      }
      const from = tableOf(moving);
      const frame = {
        x: from.x + (slot.x - from.x) * part,
        y: from.y + (slot.y - from.y) * part,
        width: from.width + (slot.width - from.width) * part,
        height: from.height + (slot.height - from.height) * part,
      };
      drawTile(pen, scaled(frame, isThird ? Math.min(1, (1 - share) * 2.6) : 1), moving.kind, false);
    } else {
      for (const [index, kind] of state.tray.entries()) {
        const slot = slots[index];
        if (slot) drawTile(pen, slot, kind, false);
      }
    }
    drawEnd(pen, scene);
  },
  read(input, state, level, size) {
    if (input.type !== 'press') return undefined;
    const { tableOf } = arrange(size, level);
    // Covered tiles still shadow those below.
    const hit = state.left.filter((index) => {
      const tile = level.tiles[index];
      return tile && isIn(tableOf(tile), input.spot);
    });
    return hit.toSorted((a, b) => (level.tiles[b]?.layer ?? 0) - (level.tiles[a]?.layer ?? 0))[0];
  },
  write(index, _state, level, size) {
    const tile = level.tiles[index];
    const { tableOf, tray } = arrange(size, level);
    return { type: 'press', spot: middle(tile ? tableOf(tile) : tray) };
  },
  say(index, { tray }, { tiles }) {
    const kind = tiles[index]?.kind ?? 0;
    const count = tray.filter((other) => other === kind).length;
    return count === 2 ? `the third of the ${iconName(kind)}` : `collect the ${iconName(kind)}`;
  },
};

function arrange(size: ScreenSize, { tiles }: TilesLevel) {
  const whole = boardFrame(size, 6);
  const tall = Math.round(size.height * 0.17);
  const slotSide = Math.min((size.width * 0.8) / traySize, tall - 4);
  const tray = {
    x: (size.width - slotSide * traySize) / 2 - 4,
    y: whole.y + whole.height - tall,
    width: slotSide * traySize + 8,
    height: tall,
  };
  const slots = Array.from({ length: traySize }, (_, slot) => ({
    x: tray.x + 4 + slot * slotSide,
    y: tray.y + (tall - slotSide) / 2,
    width: slotSide,
    height: slotSide,
  }));
  const table = { ...whole, height: whole.height - tall - 6 };
  const [wide, high] = [Math.max(...tiles.map(({ x }) => x)) + 2, Math.max(...tiles.map(({ y }) => y)) + 2];
  const layers = Math.max(...tiles.map(({ layer }) => layer));
  const lift = 0.09;
  const half = Math.min(table.width / wide, table.height / (high + 2 * layers * lift), size.height * 0.085);
  const tableX = table.x + (table.width - wide * half) / 2;
  const top = table.y + (table.height - (high - 2 * layers * lift) * half) / 2;
  const tableOf = ({ x, y, layer }: Tile): Frame => ({
    x: tableX + x * half,
    y: top + (y - 2 * layer * lift) * half,
    width: 2 * half,
    height: 2 * half,
  });
  return { tray, slots, tableOf };
}

function drawTile(pen: CanvasRenderingContext2D, frame: Frame, kind: number, isCovered: boolean): void {
  const { width } = frame;
  if (width < 2) return;
  const name = `tile ${kind} ${width} ${isCovered}`;
  drawSprite(pen, name, middle(frame), width * 0.6, (brush) => paintTile(brush, width, kind, isCovered));
}

function paintTile(pen: CanvasRenderingContext2D, side: number, kind: number, isCovered: boolean): void {
  const whole = { x: -side / 2, y: -side / 2, width: side, height: side };
  const { x, y, width, height } = inset(whole, Math.max(0.5, side * 0.02));
  const radius = width * 0.16;
  const thick = height * 0.1;
  pen.globalAlpha = 0.25;
  panel(pen, { x: x + 1, y: y + thick * 0.7, width, height }, radius, '#000000');
  pen.globalAlpha = 1;
  panel(pen, { x, y, width, height }, radius, isCovered ? '#7e735c' : edge);
  panel(pen, { x, y, width, height: height - thick }, radius, isCovered ? '#b3a98f' : ivory);
  const centre = { x: x + width / 2, y: y + (height - thick) / 2 };
  pen.globalAlpha = isCovered ? 0.6 : 1;
  drawIcon(pen, centre, width * 0.34, kind);
  pen.globalAlpha = 1;
}

const inset = ({ x, y, width, height }: Frame, gap: number): Frame => ({
  x: x + gap,
  y: y + gap,
  width: width - 2 * gap,
  height: height - 2 * gap,
});

const scaled = (frame: Frame, scale: number): Frame => inset(frame, (frame.width * (1 - scale)) / 2);

const isIn = ({ x, y, width, height }: Frame, at: Spot) =>
  at.x >= x && at.x < x + width && at.y >= y && at.y < y + height;
