import type { ComputerMemberName } from '@anthropic-ai/sdk/resources/messages/messages';
import { type Action, GyreError, type MouseButton, type Point, type Size, keyName, splitKeys } from '@gyre/protocol';
import { z } from 'zod';
import { screenPoint } from './scaledScreen.js';
import { holdKeys, knownKey, type ReadCall, readCall } from './toolCall.js';

const toolset = 'computer';

/** No canonical action expresses them. */
export const unsupportedMembers = [
  'cursor_position',
  'triple_click',
  'zoom',
] as const satisfies readonly ComputerMemberName[];

/** As on desktops: about half a screen. */
const clicksPerScroll = 5;
const maxRepeats = 100;

const Coordinate = z.tuple([z.int(), z.int()]);
const Keys = z.string().nullish();
const Pointed = z.strictObject({ coordinate: Coordinate.nullish(), text: Keys });
const Nothing = z.strictObject({});

type Place = (coordinate: z.infer<typeof Coordinate>) => Point;
interface Member {
  read(name: string, input: unknown, place: Place): ReadCall;
}

function member<T>(schema: z.ZodType<T>, toActions: (input: T, place: Place) => Action[]): Member {
  return { read: (name, input, place) => readCall(name, schema, input, (fields) => toActions(fields, place)) };
}

/** Clicks at the pointer without a coordinate. */
const click = (button: MouseButton, type: 'click' | 'right_click' | 'middle_click') =>
  member(Pointed, ({ coordinate, text }, place) =>
    holdKeys(
      keysOf(text),
      coordinate
        ? [{ type, point: place(coordinate) }]
        : [
            { type: 'mouse_down', button },
            { type: 'mouse_up', button },
          ],
    ),
  );

/** Fields of the SDK's types (@anthropic-ai/sdk 1.12.0, `ComputerLeftClickInput` etc.). */
const members: Readonly<Record<Exclude<ComputerMemberName, (typeof unsupportedMembers)[number]>, Member>> = {
  screenshot: member(Nothing, () => [{ type: 'screenshot' }]),
  left_click: click('left', 'click'),
  right_click: click('right', 'right_click'),
  middle_click: click('middle', 'middle_click'),
  double_click: member(Pointed, ({ coordinate, text }, place) => {
    if (!coordinate) throw new GyreError('bad_input', 'a coordinate is required', { field: 'coordinate' });
    return holdKeys(keysOf(text), [{ type: 'double_click', point: place(coordinate) }]);
  }),
  left_click_drag: member(
    z.strictObject({ start_coordinate: Coordinate, coordinate: Coordinate, text: Keys }),
    ({ start_coordinate: start, coordinate: end, text }, place) =>
      holdKeys(keysOf(text), [{ type: 'drag', start: place(start), end: place(end) }]),
  ),
  left_mouse_down: member(Nothing, () => [{ type: 'mouse_down', button: 'left' }]),
  left_mouse_up: member(Nothing, () => [{ type: 'mouse_up', button: 'left' }]),
  mouse_move: member(z.strictObject({ coordinate: Coordinate }), ({ coordinate }, place) => [
    { type: 'mouse_move', point: place(coordinate) },
  ]),
  scroll: member(
    z.strictObject({
      scroll_direction: z.enum(['up', 'down', 'left', 'right']),
      scroll_amount: z.int().min(0).max(maxRepeats),
      coordinate: Coordinate.nullish(),
      text: Keys,
    }),
    ({ scroll_direction: direction, scroll_amount: amount, coordinate, text }, place) => {
      const scroll: Action = { type: 'scroll', direction, ...(coordinate && { point: place(coordinate) }) };
      const times = amount === 0 ? 0 : Math.max(1, Math.round(amount / clicksPerScroll));
      return holdKeys(keysOf(text), Array<Action>(times).fill(scroll));
    },
  ),
  type: member(z.strictObject({ text: z.string() }), ({ text }) => [{ type: 'type', text }]),
  key: member(
    z.strictObject({ text: z.string().min(1), repeat: z.int().min(1).max(maxRepeats).nullish() }),
    ({ text, repeat }) =>
      Array<Action>(repeat ?? 1).fill({ type: 'hotkey', keys: keysOf(text).map(knownKey).join(' ') }),
  ),
  hold_key: member(z.strictObject({ text: z.string().min(1), duration: z.number().min(0) }), ({ text, duration }) =>
    holdKeys(keysOf(text), [{ type: 'wait', seconds: duration }]),
  ),
  wait: member(z.strictObject({ duration: z.number().min(0) }), ({ duration }) => [
    { type: 'wait', seconds: duration },
  ]),
};

/** Coordinates are px of the scaled screenshot. */
export function readAnthropicCall(
  { name, input, toolset_name: family }: { name: string; input: unknown; toolset_name?: string | null | undefined },
  size: Size,
): ReadCall {
  const offered =
    family === toolset && Object.hasOwn(members, name) ? members[name as keyof typeof members] : undefined;
  if (offered) return offered.read(name, input, ([x, y]) => screenPoint(x, y, size));
  return {
    wrong: `unknown tool "${name}"; the toolset "${toolset}" has ${Object.keys(members).join(', ')}`,
  };
}

/** Splits `ctrl+shift+t`; `ctrl++` for the plus key. */
function keysOf(text: string | null | undefined): string[] {
  return text ? splitKeys(text, (name) => keyName(name) !== undefined) : [];
}
