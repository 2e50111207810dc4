import { readPyautogui, type Action, type PyautoguiCall } from '@gyre/protocol';
import { keyOfPyautogui } from '../pyautoguiKeys.js';
import { hotkeyActions, waitActions, type Pointer } from '../served/pointer.js';

/**
 * Translates a program that only calls pyautogui with literals; undefined for any other. Moves `pointer`.
 *
 * @throws GyreError `bad_input` for keys that actions lack.
 */
export function pyautoguiActions(code: string, pointer: Pointer): Action[] | undefined {
  const program = readPyautogui(code);
  if (!program.ok) return undefined;
  const actions: Action[] = [];
  for (const call of program.calls) {
    const next = actionsOf(call, pointer);
    if (next === undefined) return undefined;
    actions.push(...next);
  }
  return actions;
}

function actionsOf(call: PyautoguiCall, pointer: Pointer): Action[] | undefined {
  switch (call.kind) {
    case 'click':
      return pointer.click(call.x, call.y, call.button, call.clicks);
    case 'move':
      return pointer.move(call.x, call.y);
    case 'moveBy':
      return pointer.moveBy(call.right, call.down);
    case 'drag':
      return call.presses ? pointer.dragTo(call.x, call.y, call.button) : pointer.move(call.x, call.y);
    case 'dragBy':
      return call.presses ? pointer.dragBy(call.right, call.down, call.button) : pointer.moveBy(call.right, call.down);
    case 'down':
      return pointer.down(call.x, call.y, call.button ?? 'left');
    case 'up':
      return pointer.up(call.x, call.y, call.button ?? 'left');
    case 'scroll':
      pointer.aim(call.x, call.y);
      return pointer.scroll(call.right, call.up);
    case 'type':
      return call.text === '' ? [] : [{ type: 'type', text: call.text }];
    case 'strokes':
      return call.keys.flatMap((key) => hotkeyActions([keyOfPyautogui(key)]));
    case 'hotkey':
      return hotkeyActions(call.keys.map(keyOfPyautogui));
    case 'keyDown':
      return [{ type: 'press', key: keyOfPyautogui(call.key) }];
    case 'keyUp':
      return [{ type: 'release', key: keyOfPyautogui(call.key) }];
    case 'sleep':
      return call.seconds === undefined ? undefined : waitActions(call.seconds);
    case 'terminate':
    case 'other':
      return undefined;
  }
}
