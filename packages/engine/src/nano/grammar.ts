import type { Action, Point, SdkCall } from '@gyre/protocol';

export const directions = ['up', 'down', 'left', 'right'] as const;
export const buttons = ['left', 'middle', 'right'] as const;

export const tokenClasses = [
  'turn',
  'function',
  'point',
  'optionalPoint',
  'offset',
  'character',
  'prose',
  'key',
  'furtherKey',
  'direction',
  'optionalButton',
  'turnOrCommand',
  'functionOrCommand',
  'textStart',
  'proseStart',
  'keysStart',
  'copyEnd',
] as const;
export type TokenClass = (typeof tokenClasses)[number];

export type NativeAction = Action | Extract<SdkCall, { type: 'execute_bash' }>;

/** `text` is spelt, `prose` words and characters, `keys` one to three. */
export type Argument = 'point' | 'optionalPoint' | 'key' | 'keys' | 'direction' | 'optionalButton' | 'text' | 'prose';
export const signature: Readonly<Record<NativeAction['type'], readonly Argument[]>> = {
  screenshot: [],
  click: ['point'],
  right_click: ['point'],
  double_click: ['point'],
  middle_click: ['point'],
  mouse_down: ['optionalPoint', 'optionalButton'],
  mouse_up: ['optionalPoint', 'optionalButton'],
  mouse_move: ['point'],
  drag: ['point', 'point'],
  scroll: ['direction', 'optionalPoint'],
  type: ['text'],
  hotkey: ['keys'],
  press: ['key'],
  release: ['key'],
  navigate: ['text'],
  navigate_back: [],
  long_press: ['point'],
  swipe: ['point', 'point'],
  press_home: [],
  press_back: [],
  open_app: ['text'],
  wait: ['text'],
  finished: ['prose'],
  call_user: [],
  execute_bash: ['text'],
};

export const maxKeys = 3;

export interface Arguments {
  points: readonly (Point | undefined)[];
  names: readonly string[];
  text: string;
  direction: (typeof directions)[number];
  button: (typeof buttons)[number] | undefined;
}

export function actionOf(
  type: NativeAction['type'],
  { points, names, text, direction, button }: Arguments,
): NativeAction {
  const middle = { x: 0.5, y: 0.5 };
  const point = points[0] ?? middle;
  switch (type) {
    case 'click':
    case 'right_click':
    case 'double_click':
    case 'middle_click':
    case 'mouse_move':
    case 'long_press':
      return { type, point };
    case 'mouse_down':
    case 'mouse_up':
      return { type, ...(points[0] && { point }), ...(button && { button }) };
    case 'drag':
    case 'swipe':
      return { type, start: point, end: points[1] ?? middle };
    case 'scroll':
      return { type, direction, ...(points[0] && { point }) };
    case 'type':
      return { type, text };
    case 'navigate':
      return { type, url: text || 'about:blank' };
    case 'open_app':
      return { type, name: text || ' ' };
    case 'execute_bash':
      // A command must not be empty.
      return { type, command: text || ':' };
    case 'hotkey':
      return { type, keys: names.join(' ') };
    case 'press':
    case 'release':
      return { type, key: names[0] ?? 'escape' };
    case 'wait': {
      const seconds = Number(text);
      return { type, ...(text !== '' && seconds >= 0 && seconds <= 60 && { seconds }) };
    }
    case 'finished':
      return { type, ...(text !== '' && { answer: text }) };
    case 'screenshot':
    case 'navigate_back':
    case 'press_home':
    case 'press_back':
    case 'call_user':
      return { type };
  }
}
