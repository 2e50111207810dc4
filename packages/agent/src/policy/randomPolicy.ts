import { type Action, type ActionType, Direction, GyreError, type Point } from '@gyre/protocol';
import type { Policy } from './policy.js';

export type RandomActionType = Exclude<ActionType, 'navigate' | 'open_app'>;

export interface ActionSpace {
  /** Drawn uniformly. */
  readonly functions: readonly RandomActionType[];
  /** Default: the arrow keys. */
  readonly keys?: readonly string[];
  /** Default 3..6. */
  readonly textLength?: { readonly min: number; readonly max: number };
}

const arrowKeys = ['arrowup', 'arrowdown', 'arrowleft', 'arrowright'];
const letters = 'abcdefghijklmnopqrstuvwxyz';

/**
 * Draws one action per turn, uniform over functions, then over arguments.
 *
 * @throws GyreError 'bad_input' if there is nothing to draw from.
 */
export function randomPolicy(space: ActionSpace): Policy {
  const { functions, keys = arrowKeys, textLength = { min: 3, max: 6 } } = space;
  if (functions.length === 0) {
    throw new GyreError('bad_input', 'the action space has no functions', {
      field: 'functions',
      fix: "list at least one, such as ['click', 'type']",
    });
  }
  if (keys.length === 0) {
    throw new GyreError('bad_input', 'the action space has no keys', {
      field: 'keys',
      fix: "list at least one, such as ['enter', 'tab']",
    });
  }
  if (!(Number.isInteger(textLength.min) && Number.isInteger(textLength.max)) || textLength.min > textLength.max) {
    throw new GyreError('bad_input', `the text length ${textLength.min}..${textLength.max} is invalid`, {
      field: 'textLength',
      fix: 'use two integers, min <= max',
    });
  }
  return {
    name: 'random',
    decide: async ({ random }) => ({ actions: [draw(functions, keys, textLength, random)] }),
  };
}

function draw(
  functions: readonly RandomActionType[],
  keys: readonly string[],
  textLength: { readonly min: number; readonly max: number },
  random: () => number,
): Action {
  const integer = (n: number): number => Math.floor(random() * n);
  const pick = <T>(choices: readonly T[]): T => choices[integer(choices.length)]!;
  const point = (): Point => ({ x: random(), y: random() });

  const type = pick(functions);
  switch (type) {
    case 'click':
    case 'right_click':
    case 'double_click':
    case 'middle_click':
    case 'mouse_down':
    case 'mouse_up':
    case 'mouse_move':
    case 'long_press':
      return { type, point: point() };
    case 'drag':
    case 'swipe':
      return { type, start: point(), end: point() };
    case 'scroll':
      return { type, point: point(), direction: pick(Direction.options) };
    case 'type': {
      const length = textLength.min + integer(textLength.max - textLength.min + 1);
      return { type, text: Array.from({ length }, () => pick([...letters])).join('') };
    }
    case 'hotkey':
      return { type, keys: pick(keys) };
    case 'press':
    case 'release':
      return { type, key: pick(keys) };
    case 'wait':
    case 'screenshot':
    case 'navigate_back':
    case 'press_home':
    case 'press_back':
    case 'finished':
    case 'call_user':
      return { type };
  }
}
