import type { PixelBox, Size } from '@gyre/protocol';

/** Edges in px; right and bottom are exclusive. */
export interface Rect {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Returns the whole pixels that a box touches. */
export function rectOf({ x, y, width, height }: PixelBox): Rect {
  return { left: Math.floor(x), top: Math.floor(y), right: Math.ceil(x + width), bottom: Math.ceil(y + height) };
}

export function boxOf({ left, top, right, bottom }: Rect): PixelBox {
  return { x: left, y: top, width: right - left, height: bottom - top };
}

export function areaOf({ left, top, right, bottom }: Rect): number {
  return (right - left) * (bottom - top);
}

/** Returns undefined if the rectangles share no area. */
export function intersection(a: Rect, b: Rect): Rect | undefined {
  const left = Math.max(a.left, b.left);
  const top = Math.max(a.top, b.top);
  const right = Math.min(a.right, b.right);
  const bottom = Math.min(a.bottom, b.bottom);
  return left < right && top < bottom ? { left, top, right, bottom } : undefined;
}

export function union(a: Rect, b: Rect): Rect {
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}

export function grown({ left, top, right, bottom }: Rect, across: number, down = across): Rect {
  return { left: left - across, top: top - down, right: right + across, bottom: bottom + down };
}

export function within(rect: Rect, { width, height }: Size): Rect {
  return {
    left: Math.max(0, rect.left),
    top: Math.max(0, rect.top),
    right: Math.min(width, rect.right),
    bottom: Math.min(height, rect.bottom),
  };
}

/** Merges rectangles until none overlap. */
export function disjoint(rects: readonly Rect[]): Rect[] {
  const merged: Rect[] = [];
  for (let rect of rects) {
    let overlapping: number;
    while ((overlapping = merged.findIndex((earlier) => intersection(rect, earlier) !== undefined)) >= 0) {
      rect = union(rect, merged[overlapping]!);
      merged.splice(overlapping, 1);
    }
    merged.push(rect);
  }
  return merged;
}
