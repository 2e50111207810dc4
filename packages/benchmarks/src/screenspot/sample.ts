import type { Point, Size } from '@gyre/protocol';

/** In px of the picture, as the annotations have them. */
export type Target =
  | { readonly kind: 'box'; /** Left, top, right, bottom. */ readonly box: readonly [number, number, number, number] }
  | { readonly kind: 'polygon'; readonly corners: readonly Point[] }
  /** Nothing fits the instruction, and an agent should say so. */
  | { readonly kind: 'refusal' };

/** A picture, and an instruction that means one place of it. */
export interface GroundingSample {
  readonly id: string;
  /** The annotations' file without its ending. */
  readonly file: string;
  readonly picture: string;
  /** Absent where the annotations have none: the picture's. */
  readonly size?: Size | undefined;
  readonly instruction: string;
  readonly target: Target;
  readonly uiType?: 'text' | 'icon' | undefined;
  readonly platform?: string | undefined;
  readonly application?: string | undefined;
  /** OSWorld-G has several for some. */
  readonly groups: readonly string[];
}

/** A policy's answer. */
export interface Pointing {
  /** In 0..1 of the picture; beyond for a point outside. */
  readonly point?: Point | undefined;
  /** It said that the instruction cannot be followed. */
  readonly refused: boolean;
  readonly text: string;
}

/** In the words of ScreenSpot-Pro. */
export type Correctness = 'correct' | 'wrong' | 'wrong_format';

/**
 * Judges an answer. A point on the border of a box is inside; polygons are judged by the even-odd rule.
 *
 * @param size the picture's, where the sample has none
 */
export function correctnessOf({ target, size: annotated }: GroundingSample, answer: Pointing, size: Size): Correctness {
  const { width, height } = annotated ?? size;
  const { point } = answer;
  if (target.kind === 'refusal') return point || !answer.refused ? 'wrong' : 'correct';
  if (!point) return 'wrong_format';
  if (target.kind === 'polygon') {
    const corners = target.corners.map(({ x, y }) => ({ x: x / width, y: y / height }));
    return isWithin(point, corners) ? 'correct' : 'wrong';
  }
  const [left, top, right, bottom] = target.box;
  const within = (low: number, value: number, high: number, side: number) =>
    low / side <= value && value <= high / side;
  return within(left, point.x, right, width) && within(top, point.y, bottom, height) ? 'correct' : 'wrong';
}

function isWithin({ x, y }: Point, corners: readonly Point[]): boolean {
  let inside = false;
  for (const [index, corner] of corners.entries()) {
    const before = corners.at(index - 1)!;
    if (corner.y > y === before.y > y) continue;
    if (x < ((before.x - corner.x) * (y - corner.y)) / (before.y - corner.y) + corner.x) inside = !inside;
  }
  return inside;
}
