import { Action, GyreError } from '@gyre/protocol';

/** Throws `bad_input` for an action that is none, naming the field. */
export function checkWhole(action: Action): void {
  const parsed = Action.safeParse(action);
  if (parsed.success) return;
  const { path, message } = parsed.error.issues[0]!;
  throw new GyreError('bad_input', `${path.join('.')}: ${message}`, {
    field: path.join('.'),
    fix: 'give an action as the protocol has it; a point is in 0..1',
    cause: parsed.error,
  });
}

/** Actions of browsers and phones, which a machine with a mouse and a keyboard does not have. */
const foreign: ReadonlySet<Action['type']> = new Set([
  'navigate',
  'navigate_back',
  'press_back',
  'press_home',
  'open_app',
]);

/** Throws `bad_input` for an action that takes more than a mouse and a keyboard. @param what such as `a desktop`. */
export function refuseForeign({ type }: Action, what: string): void {
  if (!foreign.has(type)) return;
  throw new GyreError('bad_input', `${what} cannot take the action ${type}`, {
    field: 'type',
    fix: 'use the pointer and the keys, as a person would',
  });
}
