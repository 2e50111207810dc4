import { Action, type ActionType, type Direction, GyreError } from '@gyre/protocol';
import { hotkeyOf, keyNamed } from './keys.js';
import { checkTyped } from './typedText.js';

export interface ActionLimits {
  readonly machine: string;
  /** Refused action types, each with an alternative. */
  readonly instead: Readonly<Partial<Record<ActionType, string>>>;
  /** Throws `bad_input`, as do the other checks. */
  readonly checkKey?: (key: string) => unknown;
  readonly checkKeys?: (keys: string) => unknown;
  readonly checkText?: (text: string) => unknown;
  readonly checkDirection?: (direction: Direction) => void;
  readonly checkUrl?: (url: string) => unknown;
}

const asPerson = 'use the mouse and keyboard';
const onPhone = 'use it on a phone, or use navigate';

export const browserLimits: ActionLimits = {
  machine: 'a browser',
  instead: { press_home: onPhone, open_app: onPhone },
};

export const desktopLimits: ActionLimits = {
  machine: 'a desktop',
  instead: {
    navigate: asPerson,
    navigate_back: asPerson,
    press_back: asPerson,
    press_home: asPerson,
    open_app: asPerson,
  },
};

/** Throws `bad_input` for malformed or refused actions, unknown keys and untypable text. */
export function checkAction(action: Action, limits: ActionLimits): void {
  checkShape(action);
  const { checkKey = keyNamed, checkKeys = hotkeyOf, checkText = checkTyped, checkDirection, checkUrl } = limits;
  if (action.type === 'press' || action.type === 'release') checkKey(action.key);
  if (action.type === 'hotkey') checkKeys(action.keys);
  if (action.type === 'type') checkText(action.text);
  if (action.type === 'scroll') checkDirection?.(action.direction);
  if (action.type === 'navigate') checkUrl?.(action.url);
  refuse(action, limits);
}

export function refuse({ type }: Action, { machine, instead }: ActionLimits): void {
  const fix = instead[type];
  if (fix !== undefined)
    throw new GyreError('bad_input', `${machine} does not support the action ${type}`, { field: 'type', fix });
}

function checkShape(action: Action): void {
  const parsed = Action.safeParse(action);
  if (parsed.success) return;
  const { path, message } = parsed.error.issues[0]!;
  throw new GyreError('bad_input', `${path.join('.')}: ${message}`, {
    field: path.join('.'),
    fix: 'use an action of the protocol; points are in 0..1',
    cause: parsed.error,
  });
}
