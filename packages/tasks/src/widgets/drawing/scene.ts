import type { Size } from '@gyre/protocol';
import type { Box } from '../../family/box.js';
import type { Random } from '../../family/random.js';
import { placed } from './placed.js';
import { fill } from './filler.js';
import { type Labels, LabelMisfit } from './labels.js';
import type { Skin } from './skin.js';
import { stylesheet } from './stylesheet.js';

export const sceneLayouts = {
  header: ['none', 'title', 'appbar', 'window', 'toolbar'],
  rail: ['none', 'none', 'left', 'right'],
  density: ['snug', 'cosy', 'roomy'],
  split: ['columns', 'rows'],
} as const;
export type SceneLayout = { readonly [Name in keyof typeof sceneLayouts]: (typeof sceneLayouts)[Name][number] };

/** Smallest and largest size that a widget can use, in px. */
export interface Room {
  readonly width: readonly [number, number];
  readonly height: readonly [number, number];
}

export interface Scene {
  /** The widget's area, in px of the screen. */
  readonly area: Box;
  /** Height of a row of text or of a control in px. */
  readonly row: number;
  /** px between controls. */
  readonly gap: number;
  /** Places `html` in the area and `overlay` over the whole screen. */
  render(parts: { html: string; overlay?: string; styles: string }): string;
}

/** Lays out one card, surrounded by filler on larger screens. Throws `LabelMisfit`. */
export function drawScene(
  random: Random,
  size: Size,
  room: Room,
  layout: SceneLayout,
  skin: Skin,
  labels: Labels,
): Scene {
  const small = size.width < 300 || size.height < 200;
  const tight = size.height < 200;
  const { font } = skin;
  const step = { snug: 0, cosy: 1, roomy: 2 }[layout.density];
  const row = font.size + ((tight ? [4, 5, 6] : [6, 8, 11])[step] ?? 6);
  const gap = (tight ? [3, 4, 5] : [5, 7, 9])[step] ?? 5;
  const margin = (small ? [2, 4, 6] : [8, 12, 16])[step] ?? 4;
  const padding = (tight ? [3, 4, 5] : [6, 9, 12])[step] ?? 4;
  const head = font.size + (tight ? 5 : 9);
  // Words around the widget are drawn last, so that its labels come first.
  const parts: (() => string)[] = [];

  let top = margin;
  if (layout.header === 'appbar' || layout.header === 'toolbar') {
    const { header } = layout;
    const box: Box = { x: 0, y: 0, width: size.width, height: head };
    parts.push(() => placed('masthead', box, mastheadOf(random, header, size, labels)));
    top = head + Math.min(margin, 8);
  }
  let left = margin;
  let right = size.width - margin;
  if (!small && layout.rail !== 'none' && size.width >= 320) {
    const wide = 36 + 5 * font.size;
    const width = wide > size.width / 5 ? 26 : Math.round(wide + 0.06 * size.width * random.next());
    const box: Box = {
      x: layout.rail === 'left' ? 0 : size.width - width,
      y: top - margin > 0 ? head : 0,
      width,
      height: size.height,
    };
    parts.push(() => placed('rail', box, railOf(random, box, row, wide > width ? undefined : labels)));
    if (layout.rail === 'left') left = width + margin;
    else right = size.width - width - margin;
  }
  const body: Box = { x: left, y: top, width: right - left, height: size.height - margin - top };

  const captioned = layout.header === 'title' || layout.header === 'window';
  // The card's edges count as 2 px.
  const frame = { width: 2 * padding + 4, height: 2 * padding + 4 + (captioned ? head : 0) };
  const side = (whole: number, [min, max]: readonly [number, number], around: number): number => {
    if (small) return whole;
    if (min + around > whole) throw new LabelMisfit(`no room for ${min} px`);
    return Math.min(whole, random.between(min, Math.max(min, Math.min(max, whole))) + around);
  };
  const scale = font.size / 13;
  const scaled = ([min, max]: readonly [number, number]) => [min * Math.max(1, scale), max * scale] as const;
  const width = Math.round(side(body.width, scaled(room.width), frame.width));
  const height = Math.round(side(body.height, scaled(room.height), frame.height));
  const card: Box = {
    x: body.x + random.between(0, body.width - width),
    y: body.y + random.between(0, body.height - height),
    width,
    height,
  };
  const caption = (): string => {
    if (!captioned) return '';
    const dots = layout.header === 'window' ? '<i></i><i></i><i></i>' : '';
    return `<div class="caption ${layout.header}" style="height:${head}px">${dots}${labels.filler()}</div>`;
  };
  const area: Box = {
    x: card.x + 2 + padding,
    y: card.y + 2 + padding + (captioned ? head : 0),
    width: width - frame.width,
    height: height - frame.height,
  };
  return {
    area,
    row,
    gap,
    render({ html, overlay = '', styles }) {
      const around = small ? [] : surroundings(body, card, layout.split, gap + 2);
      const filler = around.flatMap((box) => fill(random, box, row, labels));
      const style = `width:${size.width}px;height:${size.height}px;--row:${row}px;--gap:${gap}px;${skin.variables}`;
      const inner = `${placed('card', card, caption())}${placed('area', area, html)}`;
      return (
        `<!doctype html><html lang="en"><head><meta charset="utf-8"><style>${stylesheet}${styles.replaceAll('\n', '')}</style></head><body>` +
        `<div class="screen" style="${style}">${parts.map((draw) => draw()).join('')}${filler.join('')}${inner}${overlay}</div></body></html>`
      );
    },
  };
}

function mastheadOf(random: Random, header: 'appbar' | 'toolbar', { width }: Size, labels: Labels): string {
  if (header === 'appbar') return `<b>${labels.filler()}</b>`;
  const icons = Array.from(
    { length: Math.min(12, Math.floor(width / 40)) },
    () => `<i class="${random.pick(['o', 'q', 'r'])}"></i>`,
  );
  return icons.join('');
}

function railOf(random: Random, box: Box, row: number, labels: Labels | undefined): string {
  const count = Math.min(10, Math.floor(box.height / (row + 6)) - 1);
  const lit = random.between(0, count);
  return Array.from(
    { length: Math.max(0, count) },
    (_, index) => `<div class="${index === lit ? 'lit' : ''}"><i></i>${labels?.filler() ?? ''}</div>`,
  ).join('');
}

function surroundings(body: Box, card: Box, split: SceneLayout['split'], gap: number): Box[] {
  const bottom = card.y + card.height + gap;
  const right = card.x + card.width + gap;
  const above = card.y - gap - body.y;
  const below = body.y + body.height - bottom;
  const before = card.x - gap - body.x;
  const after = body.x + body.width - right;
  const [cross, along] =
    split === 'columns'
      ? [
          { x: card.x, width: card.width },
          { y: body.y, height: body.height },
        ]
      : [
          { x: body.x, width: body.width },
          { y: card.y, height: card.height },
        ];
  return [
    { ...cross, y: body.y, height: above },
    { ...cross, y: bottom, height: below },
    { ...along, x: body.x, width: before },
    { ...along, x: right, width: after },
  ]
    .filter(({ width, height }) => width >= 24 && height >= 14)
    .flatMap((box) => cells(box, gap));
}

function cells(box: Box, gap: number): Box[] {
  const columns = Math.ceil(box.width / 240);
  const rows = Math.ceil(box.height / 170);
  const width = Math.floor((box.width - gap * (columns - 1)) / columns);
  const height = Math.floor((box.height - gap * (rows - 1)) / rows);
  return Array.from({ length: columns * rows }, (_, index) => ({
    x: box.x + (index % columns) * (width + gap),
    y: box.y + Math.floor(index / columns) * (height + gap),
    width,
    height,
  }));
}
