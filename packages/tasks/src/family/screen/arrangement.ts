import { type Box, overlaps } from '../box.js';
import type { Random } from '../random.js';

export const arrangements = ['list', 'grid', 'flow', 'scatter', 'dock'] as const;
export type Arrangement = (typeof arrangements)[number];

export const alignments = ['start', 'centre', 'end', 'stretch'] as const;
export type Alignment = (typeof alignments)[number];

interface Extent {
  readonly width: number;
  readonly height: number;
  readonly stretches: boolean;
}

/**
 * Places extents without overlap, in order (scatter: anywhere); undefined if they do not fit. `dock` is a grid at the
 * bottom.
 */
export function arrange(
  arrangement: Arrangement,
  alignment: Alignment,
  extents: readonly Extent[],
  area: Box,
  gap: number,
  random: Random,
): Box[] | undefined {
  if (arrangement === 'scatter') return scatter(extents, area, gap, random);
  const rows = rowsOf(arrangement, extents, area.width, gap);
  const heights = rows.map((row) => Math.max(...row.map((extent) => extent.height)));
  const total = heights.reduce((sum, height) => sum + height, 0) + gap * (rows.length - 1);
  if (total > area.height) return undefined;
  const slack = area.height - total;
  let y = area.y + (arrangement === 'dock' ? slack : Math.floor(slack * random.pick([0, 0, 0.5, 0.5, 1])));
  const boxes: Box[] = [];
  for (const [index, row] of rows.entries()) {
    const height = heights[index] ?? 0;
    const placed =
      arrangement === 'flow' ? packed(row, area, gap, alignment) : columns(row, arrangement, area, gap, alignment);
    if (!placed) return undefined;
    for (const [column, { x, width }] of placed.entries()) {
      const extent = row[column]!;
      boxes.push({ x, y: y + Math.floor((height - extent.height) / 2), width, height: extent.height });
    }
    y += height + gap;
  }
  return boxes;
}

function rowsOf(arrangement: Arrangement, extents: readonly Extent[], width: number, gap: number): Extent[][] {
  if (arrangement === 'list') return extents.map((extent) => [extent]);
  const rows: Extent[][] = [];
  let used = 0;
  for (const extent of extents) {
    const row = rows.at(-1);
    const fits = arrangement === 'flow' ? used + gap + extent.width <= width : row?.length === 1;
    if (row && fits) {
      row.push(extent);
      used += gap + extent.width;
    } else {
      rows.push([extent]);
      used = extent.width;
    }
  }
  return rows;
}

type Span = { x: number; width: number };

function columns(
  row: readonly Extent[],
  arrangement: Arrangement,
  area: Box,
  gap: number,
  alignment: Alignment,
): Span[] | undefined {
  const count = arrangement === 'list' ? 1 : 2;
  const width = Math.floor((area.width - gap * (count - 1)) / count);
  if (row.some((extent) => extent.width > width)) return undefined;
  return row.map((extent, column) => {
    const columnX = area.x + column * (width + gap);
    if (alignment === 'stretch' && extent.stretches) return { x: columnX, width };
    return { x: columnX + Math.floor((width - extent.width) * shareBefore(alignment)), width: extent.width };
  });
}

function packed(row: readonly Extent[], area: Box, gap: number, alignment: Alignment): Span[] | undefined {
  const slack = area.width - row.reduce((sum, extent) => sum + extent.width, 0) - gap * (row.length - 1);
  if (slack < 0) return undefined;
  const spread = alignment === 'stretch' && row.length > 1 ? Math.floor(slack / (row.length - 1)) : 0;
  let x = area.x + (spread > 0 ? 0 : Math.floor(slack * shareBefore(alignment)));
  return row.map((extent) => {
    const span = { x, width: extent.width };
    x += extent.width + gap + spread;
    return span;
  });
}

const shareBefore = (alignment: Alignment): number => ({ start: 0, centre: 0.5, end: 1, stretch: 0.5 })[alignment];

function scatter(extents: readonly Extent[], area: Box, gap: number, random: Random): Box[] | undefined {
  const boxes: Box[] = [];
  for (const { width, height } of extents) {
    if (width > area.width || height > area.height) return undefined;
    let box: Box | undefined;
    for (let attempt = 0; attempt < 40 && !box; attempt++) {
      const candidate = {
        x: random.between(area.x, area.x + area.width - width),
        y: random.between(area.y, area.y + area.height - height),
        width,
        height,
      };
      if (!boxes.some((other) => overlaps(candidate, other, gap))) box = candidate;
    }
    if (!box) return undefined;
    boxes.push(box);
  }
  return boxes;
}
