import type { Box } from '../family/box.js';
import { type Family, fontStack } from '../family/screen/face.js';
import { type Openings, mazeSide } from './mazeWalls.js';

/** px. Aligned to the native policy's cells, so that all tiles look alike to it. */
export const tileSide = 32;
const boardLeft = 16;
const boardTop = 16;

export const goals = ['flag', 'star'] as const;
export type Goal = (typeof goals)[number];

export type Landmark = Goal | 'chest';

export const heroes = ['blob'] as const;
export type Hero = (typeof heroes)[number];

export interface MazeTheme {
  readonly name: string;
  readonly ground: string;
  readonly tiles: readonly [string, string];
  readonly wall: string;
  readonly ridge: string;
  readonly text: string;
  readonly hero: string;
}

export const mazeThemes: readonly MazeTheme[] = [
  {
    name: 'garden',
    ground: '#cfe8b4',
    tiles: ['#e9f5d3', '#dfeec4'],
    wall: '#3f7a34',
    ridge: '#69aa54',
    text: '#27491f',
    hero: '#e2622f',
  },
  {
    name: 'snow',
    ground: '#dbe8f4',
    tiles: ['#ffffff', '#f1f7fc'],
    wall: '#5b7fa3',
    ridge: '#a9c6e2',
    text: '#2a4763',
    hero: '#d8415a',
  },
];

const goalArt: Readonly<Record<Landmark, string>> = {
  flag: '<path d="M11 7v21" stroke="#5b4636" stroke-width="2.5" stroke-linecap="round"/><path d="M12 7.5l13 4.5-13 5.5z" fill="#e23b3b" stroke="#8e1d1d" stroke-width="1"/><ellipse cx="11" cy="28" rx="4" ry="1.5" fill="rgba(0,0,0,.3)"/>',
  star: '<path transform="translate(5 5)" d="M12 1.5l3.2 6.8 7.3 1-5.3 5.2 1.3 7.4L12 18.3l-6.5 3.6 1.3-7.4L1.5 9.3l7.3-1z" fill="#ffd23c" stroke="#a8740a" stroke-width="1.2"/>',
  chest:
    '<path class="lid" d="M5 16a6 6 0 0 1 6-6h12a6 6 0 0 1 6 6z" fill="#a8642c" stroke="#4b2a10" stroke-width="1.4"/><path d="M5 16.5h24V28H5z" fill="#8a4b1e" stroke="#4b2a10" stroke-width="1.4"/><path d="M5 16.5h24M10 11v17M24 11v17" stroke="#e0b04a" stroke-width="1.6"/><path class="lock" d="M13.5 15h7v7h-7z" fill="#ffd23c" stroke="#7a5408" stroke-width="1.2"/><circle class="lock" cx="17" cy="18" r="1.4" fill="#4b2a10"/>',
};

const keyArt =
  '<g transform="rotate(-38 17 17)" fill="none" stroke-linecap="round"><g stroke="#7a5408" stroke-width="6.4"><circle cx="10" cy="17" r="4.6"/><path d="M15 17h14M24 17v5M29 17v5"/></g><g stroke="#ffc81f" stroke-width="3.6"><circle cx="10" cy="17" r="4.6"/><path d="M15 17h14M24 17v5M29 17v5"/></g></g>';

const eyes =
  '<g class="eyes"><circle cx="13.5" cy="16" r="3.2" fill="#fff"/><circle cx="20.5" cy="16" r="3.2" fill="#fff"/><g class="pupils"><circle cx="13.5" cy="16" r="1.5" fill="#14151a"/><circle cx="20.5" cy="16" r="1.5" fill="#14151a"/></g></g>';
const heroArt: Readonly<Record<Hero, string>> = {
  blob: '<path d="M6.5 27V17a10.5 10.5 0 0 1 21 0v10l-3.5-2.5-3.5 2.5-3.5-2.5-3.5 2.5-3.5-2.5z" fill="currentColor" stroke="rgba(0,0,0,.45)" stroke-width="1.2" stroke-linejoin="round"/>',
};

export const mazeStylesheet = `
.board{left:0;top:0}
.hud{display:flex;justify-content:space-between;left:16px;top:0;width:128px;height:16px;align-items:center;font-weight:700;font-size:12px;line-height:16px;white-space:pre}
.print{opacity:0}
.print.seen{opacity:.5}
.glow{opacity:0}
.won .glow{opacity:.75}
.held .key,.held .lock,.got{display:none}
.held .got{display:inline}
.held .lid{transform:translate(2px,-4px) rotate(-14deg);transform-origin:5px 16px}
.hero[data-facing="0"] .pupils{transform:translateY(-1.5px)}
.hero[data-facing="1"] .pupils{transform:translateX(1.5px)}
.hero[data-facing="2"] .pupils{transform:translateY(1.5px)}
.hero[data-facing="3"] .pupils{transform:translateX(-1.5px)}
`;

export interface MazeView {
  readonly theme: MazeTheme;
  readonly family: Family;
  readonly openings: Openings;
  readonly start: number;
  readonly goal: number;
  readonly goalKind: Landmark;
  readonly key?: number;
  readonly hero: Hero;
  readonly level: number;
}

export const tileBox = (tile: number): Box => ({
  x: boardLeft + (tile % mazeSide) * tileSide,
  y: boardTop + Math.floor(tile / mazeSide) * tileSide,
  width: tileSide,
  height: tileSide,
});

/** Fits art of 34 px into a tile. */
const fitted = `scale(${tileSide / 34})`;

const rays = Array.from({ length: 24 }, (_, index) => {
  const radius = index % 2 === 0 ? 17 : 11;
  const angle = (index * Math.PI) / 12;
  const [x, y] = [17 + radius * Math.sin(angle), 17 - radius * Math.cos(angle)];
  return `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
}).join('');

/** Returns one positioned element of 160 x 160 px. */
export function renderMaze(view: MazeView, originX = 0, originY = 0): string {
  const { theme, openings } = view;
  const tiles = openings.map((_, tile) => {
    const x = (tile % mazeSide) * tileSide;
    const y = Math.floor(tile / mazeSide) * tileSide;
    const fill = theme.tiles[((tile % mazeSide) + Math.floor(tile / mazeSide)) % 2];
    return `<rect x="${x}" y="${y}" width="${tileSide}" height="${tileSide}" fill="${fill}"/>`;
  });
  const prints = openings.map((_, tile) => {
    const x = (tile % mazeSide) * tileSide + tileSide / 2;
    const y = Math.floor(tile / mazeSide) * tileSide + tileSide / 2;
    return `<circle class="print" cx="${x}" cy="${y}" r="4" fill="${theme.hero}"/>`;
  });
  const walls = wallLines(openings);
  const line = (colour: string, width: number, lift: number) =>
    `<path d="${walls}" transform="translate(0 ${-lift})" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round"/>`;
  const keyIcon =
    view.key === undefined ? '' : `<svg class="got" width="16" height="16" viewBox="0 0 34 34">${keyArt}</svg>`;
  const translate = (tile: number) =>
    `translate(${(tile % mazeSide) * tileSide} ${Math.floor(tile / mazeSide) * tileSide})`;
  return (
    `<div class="screen" style="left:${originX}px;top:${originY}px;background:${theme.ground};color:${theme.text};font-family:${fontStack(view.family)}">` +
    `<div class="hud"><span>level ${view.level}</span>${keyIcon}<span>moves <b class="moves">0</b></span></div>` +
    `<svg class="board" width="160" height="160" viewBox="${-boardLeft} ${-boardTop} 160 160">` +
    `<g>${tiles.join('')}</g>${prints.join('')}` +
    `${line(theme.wall, 5, 0)}${line(theme.ridge, 2, 1)}` +
    `<g transform="${translate(view.goal)} ${fitted}"><path class="glow" d="${rays}" fill="#ffd23c"/>${goalArt[view.goalKind]}</g>` +
    (view.key === undefined ? '' : `<g class="key" transform="${translate(view.key)} ${fitted}">${keyArt}</g>`) +
    `<g class="hero" data-facing="2" transform="${translate(view.start)}" style="color:${theme.hero}"><g transform="${fitted}">${heroArt[view.hero]}${eyes}</g></g>` +
    `</svg></div>`
  );
}

function wallLines(openings: Openings): string {
  const length = mazeSide * tileSide;
  let path = `M0 0H${length}V${length}H0z`;
  for (const [tile, bits] of openings.entries()) {
    const column = tile % mazeSide;
    const row = Math.floor(tile / mazeSide);
    const right = (column + 1) * tileSide;
    const below = (row + 1) * tileSide;
    if (column < mazeSide - 1 && !(bits & 2)) path += `M${right} ${row * tileSide}V${below}`;
    if (row < mazeSide - 1 && !(bits & 4)) path += `M${column * tileSide} ${below}H${right}`;
  }
  return path;
}
