import type { Palette, Scene, ScreenSize, View } from '../game.js';
import { drawEnd, drawGround, hudHeight, panel, pieceColour, shade } from '../drawing/kit.js';
import type { KeyPlatformer, StatePlatformer } from './motion.js';
import type { LevelPlatformer } from './rules.js';
import { type World, heroSize, rows, slimeAt, slimeSize, tile } from './world.js';

type ScenePlatformer = Scene<LevelPlatformer, StatePlatformer, KeyPlatformer>;

const keys = ['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown'] as const;

interface Window {
  readonly side: number;
  /** Px scrolled. */
  readonly scroll: number;
  /** Px from the top to height 0. */
  readonly bottom: number;
  readonly width: number;
}

function windowOf({ state, level, size }: ScenePlatformer): Window {
  const side = sideOf(size);
  const world = level.ground.length * side;
  // At a third of the width, unless the world's end would show.
  const idealScroll = (state.x * side) / tile - size.width / 3;
  const scroll = Math.round(Math.max(0, Math.min(idealScroll, world - size.width)));
  return { side, scroll, bottom: size.height, width: size.width };
}

const sideOf = (size: ScreenSize): number => (size.height - hudHeight(size)) / rows;

export const viewPlatformer: View<LevelPlatformer, StatePlatformer, KeyPlatformer> = {
  draw(pen, scene) {
    const { level, state, palette, status } = scene;
    const window = windowOf(scene);
    drawGround(pen, scene, 'platformer', [`coins ${state.taken.length}`, `lives ${status.lives}`]);
    pen.save();
    pen.beginPath();
    pen.rect(0, hudHeight(scene.size), scene.size.width, scene.size.height);
    pen.clip();
    drawHills(pen, palette, window);
    drawLand(pen, palette, window, level);
    for (const { column, row } of level.blocks) drawBlock(pen, palette, window, column, row);
    drawFlag(pen, palette, window, level);
    for (const [number, coin] of level.coins.entries())
      if (!state.taken.includes(number)) drawCoin(pen, window, coin.column, coin.row, scene.frame);
    for (const [number, slime] of level.slimes.entries())
      if (!state.beaten.includes(number))
        drawSlime(pen, palette, window, slimeAt(slime, state.frame), slime.row, state.frame);
    drawHero(pen, palette, window, state);
    pen.restore();
    drawEnd(pen, scene);
  },
  read(input) {
    if (input.type !== 'key') return undefined;
    return input.key === ' ' ? 'ArrowUp' : keys.find((key) => key === input.key);
  },
  write: (key) => ({ type: 'key', key }),
  say(key, { inAir }) {
    if (key === 'ArrowUp') return 'something is in the way: jump';
    if (key === 'wait') return inAir ? 'in the air: wait' : 'not yet: wait';
    if (key === 'ArrowDown') return 'stop here';
    return key === 'ArrowRight' ? 'run on to the right' : 'go back to the left';
  },
};

/** Scrolls more slowly than the world. */
function drawHills(pen: CanvasRenderingContext2D, palette: Palette, { side, scroll, bottom, width }: Window): void {
  pen.fillStyle = isDark(palette) ? 'rgba(255,255,255,0.1)' : 'rgba(255,255,255,0.85)';
  const apart = side * 6.5;
  const drift = (scroll * 0.1) % (2 * apart);
  for (let cloud = 0; cloud * apart < width + 3 * apart; cloud++) {
    const [x, y] = [cloud * apart - drift + side, bottom - side * (cloud % 2 === 0 ? 8.6 : 7.4)];
    pen.beginPath();
    for (const [across, up, radius] of [
      [-0.9, 0, 0.5],
      [-0.2, 0.3, 0.75],
      [0.6, 0.12, 0.6],
      [1.2, 0, 0.4],
    ] as const) {
      pen.moveTo(x + across * side, y - up * side);
      pen.arc(x + across * side, y - up * side, radius * side, 0, 2 * Math.PI);
    }
    pen.fill();
  }
  for (const [depth, height, alpha] of [
    [0.2, 4.6, 0.16],
    [0.45, 3.2, 0.22],
  ] as const) {
    const wave = side * (depth < 0.3 ? 7 : 5);
    const shift = (scroll * depth) % wave;
    pen.globalAlpha = alpha;
    pen.fillStyle = pieceColour(palette, depth < 0.3 ? 3 : 5);
    pen.beginPath();
    pen.moveTo(-wave, bottom);
    for (let x = -wave - shift; x < width + wave; x += wave) {
      pen.bezierCurveTo(
        x + wave * 0.25,
        bottom - side * height * 1.35,
        x + wave * 0.75,
        bottom - side * height * 1.35,
        x + wave,
        bottom - side * 0.8,
      );
    }
    pen.lineTo(width + 2 * wave, bottom);
    pen.fill();
    pen.globalAlpha = 1;
  }
}

function isDark({ sky }: Palette): boolean {
  return parseInt(sky[0].slice(3, 5), 16) < 128;
}

function drawLand(
  pen: CanvasRenderingContext2D,
  palette: Palette,
  { side, scroll, bottom, width }: Window,
  { ground }: World,
): void {
  const soil = shade('#a0653a', isDark(palette) ? -0.2 : 0.1);
  const grass = pieceColour(palette, 2);
  // The ground continues beyond the world's end.
  const heightOf = (column: number) => ground[column] ?? ground.at(-1) ?? 0;
  for (let column = Math.floor(scroll / side); column * side < scroll + width; column++) {
    const [x, height] = [column * side - scroll, heightOf(column)];
    if (height === 0) continue;
    const top = bottom - height * side;
    pen.fillStyle = soil;
    pen.fillRect(x, top, side + 0.6, height * side);
    pen.fillStyle = shade(soil, -0.18);
    for (let row = 1; row < height; row++) {
      pen.fillRect(
        x + side * (row % 2 === column % 2 ? 0.2 : 0.6),
        top + row * side + side * 0.25,
        side * 0.22,
        side * 0.12,
      );
    }
    // Edges above lower neighbours.
    for (const [beside, edgeX] of [
      [column - 1, x],
      [column + 1, x + side * 0.92],
    ] as const) {
      const lower = beside < 0 ? height : heightOf(beside);
      if (lower < height) pen.fillRect(edgeX, top, side * 0.1, (height - lower) * side);
    }
    pen.fillStyle = shade(grass, -0.28);
    pen.fillRect(x, top, side + 0.6, side * 0.34);
    pen.fillStyle = grass;
    pen.fillRect(x, top, side + 0.6, side * 0.24);
    pen.fillStyle = shade(grass, 0.3);
    pen.fillRect(x, top, side + 0.6, side * 0.08);
  }
}

function drawBlock(
  pen: CanvasRenderingContext2D,
  palette: Palette,
  { side, scroll, bottom }: Window,
  column: number,
  row: number,
): void {
  const [x, y] = [column * side - scroll, bottom - (row + 1) * side];
  const colour = pieceColour(palette, 7);
  panel(pen, { x: x + 0.5, y, width: side - 1, height: side }, side * 0.12, shade(colour, -0.35));
  panel(pen, { x: x + 1.5, y: y + 1, width: side - 3, height: side - 3 }, side * 0.1, shade(colour, 0.2));
  pen.fillStyle = shade(colour, -0.25);
  pen.fillRect(x + 1.5, y + side * 0.46, side - 3, side * 0.07);
  pen.fillRect(x + side * 0.48, y + 1, side * 0.07, side * 0.46);
  pen.fillRect(x + side * 0.24, y + side * 0.5, side * 0.07, side * 0.42);
  pen.fillRect(x + side * 0.72, y + side * 0.5, side * 0.07, side * 0.42);
}

function drawCoin(
  pen: CanvasRenderingContext2D,
  { side, scroll, bottom, width }: Window,
  column: number,
  row: number,
  frame: number,
): void {
  const [x, y] = [(column + 0.5) * side - scroll, bottom - (row + 0.5) * side];
  if (x < -side || x > width + side) return;
  const wide = 0.25 + 0.75 * Math.abs(((frame % 96) - 48) / 48);
  for (const [radius, colour] of [
    [0.3, '#a86a00'],
    [0.26, '#ffd23f'],
    [0.15, '#f0a81c'],
  ] as const) {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.ellipse(x, y, side * radius * wide, side * radius, 0, 0, 2 * Math.PI);
    pen.fill();
  }
}

function drawFlag(
  pen: CanvasRenderingContext2D,
  palette: Palette,
  { side, scroll, bottom }: Window,
  { flag, ground }: World,
): void {
  const x = (flag + 0.5) * side - scroll;
  const foot = bottom - (ground[flag] ?? 0) * side;
  const high = side * 3.4;
  panel(
    pen,
    { x: x - side * 0.3, y: foot - side * 0.22, width: side * 0.6, height: side * 0.22 },
    side * 0.06,
    '#6a7180',
  );
  panel(
    pen,
    { x: x - side * 0.06, y: foot - high, width: side * 0.12, height: high - side * 0.1 },
    side * 0.06,
    '#e8ecf2',
  );
  pen.fillStyle = '#ffd23f';
  pen.beginPath();
  pen.arc(x, foot - high, side * 0.13, 0, 2 * Math.PI);
  pen.fill();
  pen.fillStyle = shade(palette.accent, -0.2);
  pen.beginPath();
  pen.moveTo(x + side * 0.06, foot - high + side * 0.16);
  pen.lineTo(x + side * 1.3, foot - high + side * 0.66);
  pen.lineTo(x + side * 0.06, foot - high + side * 1.16);
  pen.fill();
  pen.fillStyle = palette.accent;
  pen.beginPath();
  pen.moveTo(x + side * 0.06, foot - high + side * 0.16);
  pen.lineTo(x + side * 1.2, foot - high + side * 0.62);
  pen.lineTo(x + side * 0.06, foot - high + side * 1.02);
  pen.fill();
}

function drawSlime(
  pen: CanvasRenderingContext2D,
  palette: Palette,
  { side, scroll, bottom }: Window,
  { x: centre, direction }: { x: number; direction: 1 | -1 },
  row: number,
  frame: number,
): void {
  const colour = pieceColour(palette, 4);
  const beat = Math.abs((frame % 40) - 20) / 20;
  const half = ((slimeSize.half * side) / tile) * (1 + 0.08 * beat);
  const high = ((slimeSize.height * side) / tile) * (1.12 - 0.14 * beat);
  const [x, foot] = [(centre * side) / tile - scroll, bottom - row * side];
  for (const [grow, fill] of [
    [1.6, shade(colour, -0.45)],
    [0, colour],
  ] as const) {
    pen.fillStyle = fill;
    pen.beginPath();
    pen.moveTo(x - half - grow, foot);
    pen.bezierCurveTo(
      x - half - grow,
      foot - high * 1.3 - grow,
      x + half + grow,
      foot - high * 1.3 - grow,
      x + half + grow,
      foot,
    );
    pen.fill();
  }
  pen.fillStyle = 'rgba(255,255,255,0.4)';
  pen.beginPath();
  pen.ellipse(x - half * 0.35, foot - high * 0.72, half * 0.2, high * 0.12, -0.5, 0, 2 * Math.PI);
  pen.fill();
  for (const eye of [-0.22, 0.22]) {
    const middle = x + half * (eye + direction * 0.2);
    pen.fillStyle = '#ffffff';
    pen.beginPath();
    pen.ellipse(middle, foot - high * 0.45, half * 0.17, high * 0.2, 0, 0, 2 * Math.PI);
    pen.fill();
    pen.fillStyle = '#1b1f24';
    pen.beginPath();
    pen.ellipse(middle + direction * half * 0.07, foot - high * 0.42, half * 0.09, high * 0.11, 0, 0, 2 * Math.PI);
    pen.fill();
  }
}

function drawHero(
  pen: CanvasRenderingContext2D,
  palette: Palette,
  { side, scroll, bottom }: Window,
  state: StatePlatformer,
): void {
  const { looks, inAir, run } = state;
  const [x, foot] = [(state.x * side) / tile - scroll, bottom - (state.y * side) / tile];
  const [half, high] = [(heroSize.half * side) / tile, (heroSize.height * side) / tile];
  const colour = pieceColour(palette, 0);
  const step = inAir ? 0.5 : run > 0 ? Math.abs((state.frame % 12) - 6) / 6 : 0;
  const leg = (legX: number, lift: number) =>
    panel(
      pen,
      {
        x: x + legX * half - half * 0.3,
        y: foot - high * 0.2 - lift * high * 0.14,
        width: half * 0.62,
        height: high * 0.2,
      },
      half * 0.2,
      '#333a46',
    );
  leg(-0.45, step);
  leg(0.45, 1 - step);
  pen.strokeStyle = '#333a46';
  pen.lineWidth = Math.max(1.2, side * 0.06);
  pen.beginPath();
  pen.moveTo(x, foot - high * 0.9);
  pen.lineTo(x - looks * half * 0.25, foot - high * 1.14);
  pen.stroke();
  pen.fillStyle = '#ffd23f';
  pen.beginPath();
  pen.arc(x - looks * half * 0.25, foot - high * 1.16, half * 0.2, 0, 2 * Math.PI);
  pen.fill();
  const body = { x: x - half * 1.02, y: foot - high * 0.96, width: half * 2.04, height: high * 0.8 };
  panel(pen, body, half * 0.5, shade(colour, -0.4));
  panel(pen, { x: body.x + 1, y: body.y + 1, width: body.width - 2, height: body.height - 3 }, half * 0.45, colour);
  panel(
    pen,
    { x: body.x + half * 0.3, y: body.y + 1.5, width: body.width - half * 0.6, height: high * 0.1 },
    half * 0.1,
    shade(colour, 0.4),
  );
  const visor = {
    x: x + looks * half * 0.22 - half * 0.72,
    y: foot - high * 0.8,
    width: half * 1.44,
    height: high * 0.36,
  };
  panel(pen, visor, half * 0.25, '#1e2733');
  for (const eye of [-0.3, 0.3]) {
    pen.fillStyle = '#8ff0ff';
    pen.beginPath();
    pen.ellipse(
      visor.x + visor.width / 2 + (eye + looks * 0.12) * half,
      visor.y + visor.height / 2,
      half * 0.15,
      high * 0.1,
      0,
      0,
      2 * Math.PI,
    );
    pen.fill();
  }
}
