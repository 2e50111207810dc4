import { actionTypes, type PixelBox, type Point, pointsOf, type Size } from '@gyre/protocol';
import type { NativeAction } from '../nano/grammar.js';
import type { PastScene } from './scene.js';
import { type ScreenToken, textTokens } from './screenTokens.js';

/** `row`: the text beside the place of an action that has none of its own, or another one. */
export interface PastToken {
  readonly text: string;
  readonly kind: 'past' | 'pastRow';
  readonly box?: PixelBox | undefined;
  readonly size: Size;
  /** Index of the action's type, from 1. */
  readonly function: number;
  /** Turns since, from 1. */
  readonly age: number;
  readonly unchanged: boolean;
}

export const rememberedTurns = 8;
export const maxPastTokens = 16;

/** Encodes the last turns, newest first: what was done, at which text, and in which row. */
export function pastTokens(past: readonly PastScene[]): PastToken[] {
  const tokens: PastToken[] = [];
  for (const [index, scene] of past.slice(-rememberedTurns).reverse().entries()) {
    const texts = textTokens(scene.lines, []);
    for (const action of scene.actions) {
      const common = {
        size: scene.size,
        function: functionIndex(action),
        age: index + 1,
        unchanged: scene.unchanged,
      };
      const points = pointsOf(action);
      const [first] = points;
      if (!first) tokens.push({ ...common, kind: 'past', text: spelt(action) });
      for (const point of points) {
        const box = around(point, scene.size);
        const text = textAt(texts, point, scene.size)?.text ?? '';
        const row = rowOf(texts, point, scene.size)?.text ?? '';
        tokens.push({ ...common, kind: 'past', text, box });
        if (row !== '' && row !== text) tokens.push({ ...common, kind: 'pastRow', text: row, box });
      }
    }
  }
  return tokens.slice(0, maxPastTokens);
}

/** Commands follow the types of screen actions. */
export const functionIndex = ({ type }: NativeAction): number =>
  type === 'execute_bash' ? 1 + actionTypes.length : 1 + actionTypes.indexOf(type);

function spelt(action: NativeAction): string {
  switch (action.type) {
    case 'type':
      return action.text;
    case 'hotkey':
      return action.keys;
    case 'press':
    case 'release':
      return action.key;
    case 'scroll':
      return action.direction;
    case 'navigate':
      return action.url;
    case 'open_app':
      return action.name;
    case 'execute_bash':
      return action.command;
    default:
      return '';
  }
}

function around({ x, y }: Point, { width, height }: Size): PixelBox {
  return { x: x * width - 2, y: y * height - 2, width: 4, height: 4 };
}

function textAt(texts: readonly ScreenToken[], { x, y }: Point, { width, height }: Size): ScreenToken | undefined {
  const [px, py] = [x * width, y * height];
  return texts.find(
    ({ box }) => px >= box.x - 2 && px <= box.x + box.width + 2 && py >= box.y && py <= box.y + box.height,
  );
}

/** Returns the nearest text whose middle is at the height of the point, rather to its left. */
function rowOf(texts: readonly ScreenToken[], { x, y }: Point, { width, height }: Size): ScreenToken | undefined {
  const [px, py] = [x * width, y * height];
  let nearest: ScreenToken | undefined;
  let least = Infinity;
  for (const token of texts) {
    const { box } = token;
    if (px >= box.x - 2 && px <= box.x + box.width + 2) continue;
    if (Math.abs(box.y + box.height / 2 - py) > Math.max(4, 0.75 * box.height)) continue;
    const distance = px > box.x ? px - box.x - box.width : 2 * (box.x - px);
    if (distance < least) [nearest, least] = [token, distance];
  }
  return nearest;
}
