import fc from 'fast-check';
import type { Action } from '../action/action.js';
import type { AgentAction } from '../action/sdkCall.js';
import { keyNames } from '../action/key.js';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const point = fc.record({ x: share, y: share });
const text = fc.string({ unit: 'binary' });
const key = fc.constantFrom(...keyNames, 'a', 'Z', "'", '\\', 'f5');
/** A plus separates keys, except at the end. */
const lastKey = fc.oneof(key, fc.constant('+'));

/** Actions that computer formats share. */
export const computerActions: fc.Arbitrary<Action> = fc.oneof(
  fc
    .tuple(fc.constantFrom('click', 'right_click', 'middle_click', 'double_click', 'mouse_move'), point)
    .map(([type, place]): Action => ({ type, point: place })),
  fc.tuple(point, point).map(([start, end]): Action => ({ type: 'drag', start, end })),
  fc
    .tuple(point, fc.constantFrom('up', 'down', 'left', 'right'))
    .map(([place, direction]): Action => ({ type: 'scroll', point: place, direction })),
  text.map((typed): Action => ({ type: 'type', text: typed })),
  fc
    .tuple(fc.array(key, { maxLength: 2 }), lastKey)
    .map(([keys, last]): Action => ({ type: 'hotkey', keys: [...keys, last].join(' ') })),
  fc.integer({ min: 1, max: 240 }).map((quarters): Action => ({ type: 'wait', seconds: quarters / 4 })),
  fc.constantFrom<Action>({ type: 'wait' }, { type: 'call_user' }),
);

/** Ends of a turn. */
export const ends: fc.Arbitrary<Action> = fc.oneof(
  fc.constant<Action>({ type: 'finished' }),
  text.map((answer): Action => ({ type: 'finished', answer })),
);

/** Thoughts of one or more paragraphs. */
export const plainThoughts: fc.Arbitrary<string> = fc
  .array(fc.stringMatching(/^[a-z"<>&{}][a-z .\n"<>&{}…]{0,30}[a-z"<>&{}]$/), { minLength: 1, maxLength: 3 })
  .map((paragraphs) => paragraphs.join('\n\n').replace(/ *\n[ \n]*\n */g, '\n\n'));

/** Sides of a picture from 64 px. */
export const sizes = fc.record({
  width: fc.integer({ min: 64, max: 4096 }),
  height: fc.integer({ min: 64, max: 4096 }),
});

/** Rounds points to a format's units. */
export function rounded(actions: readonly AgentAction[], units: { width: number; height: number }): unknown {
  return JSON.parse(
    JSON.stringify(actions, (_, value: unknown) =>
      typeof value === 'object' && value !== null && 'x' in value && 'y' in value
        ? [Math.round(Number(value.x) * units.width), Math.round(Number(value.y) * units.height)]
        : value,
    ),
  );
}
