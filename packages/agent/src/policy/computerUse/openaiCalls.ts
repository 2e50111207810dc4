import { type Action, GyreError, type Point, type Size } from '@gyre/protocol';
import { z } from 'zod';
import { scaledSize, screenPoint } from './scaledScreen.js';
import { holdKeys, knownKey, type ReadCall, readCall } from './toolCall.js';

const Held = { keys: z.array(z.string()).nullish() };
const Place = { x: z.int(), y: z.int() };

/** As in openai 6.49.0, `ComputerAction`. */
const ComputerAction = z.discriminatedUnion('type', [
  z.strictObject({
    ...{ type: z.literal('click'), button: z.enum(['left', 'right', 'wheel', 'back', 'forward']), ...Place, ...Held },
  }),
  z.strictObject({ type: z.literal('double_click'), ...Place, ...Held }),
  z.strictObject({ type: z.literal('drag'), path: z.array(z.strictObject(Place)).min(2).max(500), ...Held }),
  z.strictObject({ type: z.literal('keypress'), keys: z.array(z.string().min(1)).min(1) }),
  z.strictObject({ type: z.literal('move'), ...Place, ...Held }),
  z.strictObject({ type: z.literal('screenshot') }),
  z.strictObject({ type: z.literal('scroll'), scroll_x: z.int(), scroll_y: z.int(), ...Place, ...Held }),
  z.strictObject({ type: z.literal('type'), text: z.string() }),
  z.strictObject({ type: z.literal('wait') }),
]);
type ComputerAction = z.infer<typeof ComputerAction>;

const Call = z.array(ComputerAction).min(1);
const clicks = { left: 'click', right: 'right_click', wheel: 'middle_click' } as const;
const maxScrolls = 20;

/** Coordinates are px of the scaled screenshot. */
export function readOpenaiCall({ action, actions }: { action?: unknown; actions?: unknown }, size: Size): ReadCall {
  // The older tool has one action per call.
  return readCall('computer', Call, actions ?? [action], (all) => all.flatMap((each) => read(each, size)));
}

function read(action: ComputerAction, size: Size): Action[] {
  const place = ({ x, y }: { x: number; y: number }): Point => screenPoint(x, y, size);
  switch (action.type) {
    case 'screenshot':
      return [{ type: 'screenshot' }];
    case 'type':
      return [{ type: 'type', text: action.text }];
    case 'wait':
      return [{ type: 'wait' }];
    case 'keypress':
      // Letters arrive in upper case; shift is a separate key.
      return [{ type: 'hotkey', keys: action.keys.map((key) => knownKey(key.toLowerCase())).join(' ') }];
    case 'click': {
      if (action.button === 'back' || action.button === 'forward')
        throw new GyreError('bad_input', `the mouse button "${action.button}" is not supported`, { field: 'button' });
      return withHeldKeys(action, [{ type: clicks[action.button], point: place(action) }]);
    }
    case 'double_click':
      return withHeldKeys(action, [{ type: 'double_click', point: place(action) }]);
    case 'move':
      return withHeldKeys(action, [{ type: 'mouse_move', point: place(action) }]);
    case 'drag':
      return withHeldKeys(action, drag(action.path.map(place)));
    case 'scroll': {
      const { width, height } = scaledSize(size);
      const [across, along] = [wheel(action.scroll_x, width / 2), wheel(action.scroll_y, height / 2)];
      const point = place(action);
      return withHeldKeys(action, [
        ...Array<Action>(along).fill({ type: 'scroll', point, direction: action.scroll_y < 0 ? 'up' : 'down' }),
        ...Array<Action>(across).fill({ type: 'scroll', point, direction: action.scroll_x < 0 ? 'left' : 'right' }),
      ]);
    }
  }
}

const withHeldKeys = ({ keys }: { keys?: string[] | null | undefined }, actions: Action[]): Action[] =>
  holdKeys(
    (keys ?? []).map((key) => key.toLowerCase()),
    actions,
  );

/** Counts scrolls of `each` screenshot px. */
function wheel(distance: number, each: number): number {
  return distance === 0 ? 0 : Math.min(maxScrolls, Math.max(1, Math.round(Math.abs(distance) / each)));
}

function drag(path: readonly Point[]): Action[] {
  const [start, ...rest] = path;
  const end = rest.pop();
  if (!start || !end) return [];
  if (rest.length === 0) return [{ type: 'drag', start, end }];
  return [
    { type: 'mouse_down', point: start, button: 'left' },
    ...rest.map((point) => ({ type: 'mouse_move' as const, point })),
    { type: 'mouse_up', point: end, button: 'left' },
  ];
}
