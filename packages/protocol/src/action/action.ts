import { z } from 'zod';
import { Point } from './point.js';

export const MouseButton = z.enum(['left', 'middle', 'right']);
export type MouseButton = z.infer<typeof MouseButton>;

export const Direction = z.enum(['up', 'down', 'left', 'right']);
export type Direction = z.infer<typeof Direction>;

const point = { point: Point };
const optionalPoint = { point: Point.optional() };

/** A hotkey is up to five keys (`ctrl c`); `keyName` and `keysOf` resolve other spellings. Times are in seconds. */
export const Action = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('screenshot') }),
  z.strictObject({ type: z.literal('click'), ...point }),
  z.strictObject({ type: z.literal('right_click'), ...point }),
  z.strictObject({ type: z.literal('double_click'), ...point }),
  z.strictObject({ type: z.literal('middle_click'), ...point }),
  z.strictObject({ type: z.literal('mouse_down'), ...optionalPoint, button: MouseButton.optional() }),
  z.strictObject({ type: z.literal('mouse_up'), ...optionalPoint, button: MouseButton.optional() }),
  z.strictObject({ type: z.literal('mouse_move'), ...point }),
  z.strictObject({ type: z.literal('drag'), start: Point, end: Point }),
  z.strictObject({ type: z.literal('scroll'), ...optionalPoint, direction: Direction }),
  z.strictObject({ type: z.literal('type'), text: z.string() }),
  z.strictObject({ type: z.literal('hotkey'), keys: z.string().min(1) }),
  z.strictObject({ type: z.literal('press'), key: z.string().min(1) }),
  z.strictObject({ type: z.literal('release'), key: z.string().min(1) }),
  z.strictObject({ type: z.literal('navigate'), url: z.string().min(1) }),
  z.strictObject({ type: z.literal('navigate_back') }),
  z.strictObject({ type: z.literal('long_press'), ...point }),
  z.strictObject({ type: z.literal('swipe'), start: Point, end: Point }),
  z.strictObject({ type: z.literal('press_home') }),
  z.strictObject({ type: z.literal('press_back') }),
  z.strictObject({ type: z.literal('open_app'), name: z.string().min(1) }),
  z.strictObject({ type: z.literal('wait'), seconds: z.number().min(0).max(60).optional() }),
  z.strictObject({ type: z.literal('finished'), answer: z.string().optional() }),
  z.strictObject({ type: z.literal('call_user') }),
]);
export type Action = z.infer<typeof Action>;
export type ActionType = Action['type'];
export const actionTypes: readonly ActionType[] = Action.options.map((option) => option.shape.type.value);
