import { GyreError, MouseButton, type Action } from '@gyre/protocol';
import { keyOfPyautogui } from '../pyautoguiKeys.js';
import { hotkeyActions, waitActions, type Pointer } from '../served/pointer.js';
import { numberField, textField } from '../served/request.js';
import type { Fields } from './route.js';

/** Throws `bad_input` for an unknown request. */
export function actionsOf(fields: Fields, pointer: Pointer): Action[] {
  const number = (field: string) => numberField(fields, field);
  const needed = (field: string) => number(field) ?? lacks(field);
  const button = () => MouseButton.safeParse(fields.button ?? 'left').data ?? lacks('button');
  const key = () => keyOfPyautogui(textField(fields, 'key'));
  switch (fields.action_type) {
    case 'MOVE_TO':
      return pointer.move(needed('x'), needed('y'));
    case 'MOVE_REL':
      return pointer.moveBy(needed('x_offset'), needed('y_offset'));
    case 'CLICK': {
      const clicks = number('num_clicks') ?? 1;
      return [1, 2, 3].includes(clicks)
        ? pointer.click(number('x'), number('y'), button(), clicks)
        : lacks('num_clicks');
    }
    case 'RIGHT_CLICK':
      return pointer.click(number('x'), number('y'), 'right', 1);
    case 'DOUBLE_CLICK':
      return pointer.click(number('x'), number('y'), 'left', 2);
    case 'MOUSE_DOWN':
      return pointer.down(undefined, undefined, button());
    case 'MOUSE_UP':
      return pointer.up(undefined, undefined, button());
    case 'DRAG_TO':
      return pointer.dragTo(needed('x'), needed('y'), 'left');
    case 'DRAG_REL':
      return pointer.dragBy(needed('x_offset'), needed('y_offset'), 'left');
    case 'SCROLL':
      // Up and left are positive in this protocol.
      return pointer.scroll(0 - (number('dx') ?? 0), number('dy') ?? 0);
    case 'TYPING': {
      const { text } = fields;
      if (typeof text !== 'string') return lacks('text');
      return text === '' ? [] : [{ type: 'type', text }];
    }
    case 'PRESS':
      return hotkeyActions([key()]);
    case 'KEY_DOWN':
      return [{ type: 'press', key: key() }];
    case 'KEY_UP':
      return [{ type: 'release', key: key() }];
    case 'HOTKEY': {
      const { keys } = fields;
      if (!Array.isArray(keys) || keys.length === 0) return lacks('keys');
      return hotkeyActions(keys.map((name) => keyOfPyautogui(typeof name === 'string' ? name : lacks('keys'))));
    }
    case 'WAIT':
      return waitActions(needed('duration'));
    default:
      return lacks('action_type');
  }
}

function lacks(field: string): never {
  throw new GyreError('bad_input', `${field} is missing or invalid`, {
    field,
    fix: 'check the OpenAPI document of the sandbox',
  });
}
