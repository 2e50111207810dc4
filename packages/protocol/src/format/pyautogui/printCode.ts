import type { AgentAction } from '../../action/sdkCall.js';
import type { Point } from '../../action/point.js';
import { inexpressibleAction } from '../inexpressible.js';
import { notchesOf } from '../wheel.js';
import { pyautoguiKeys } from './keyNames.js';

/** Prints a point's arguments, such as `x=960, y=324`. */
type PrintPoint = (point: Point) => string;

/**
 * Prints an action as lines of pyautogui, `time.sleep` and OpenCUA's `computer` functions.
 * @throws GyreError `bad_input` for an action that they lack, or an unknown key.
 */
export function printCode(action: AgentAction, index: number, place: PrintPoint): string[] {
  switch (action.type) {
    case 'click':
    case 'right_click':
    case 'middle_click':
    case 'double_click':
    case 'mouse_move':
      return [`pyautogui.${pointing[action.type]}(${place(action.point)})`];
    case 'mouse_down':
    case 'mouse_up': {
      const button = action.button && `button=${pythonText(action.button)}`;
      const values = [action.point && place(action.point), button].filter((value) => value !== undefined);
      return [`pyautogui.${pointing[action.type]}(${values.join(', ')})`];
    }
    case 'drag':
      return [`pyautogui.moveTo(${place(action.start)})`, `pyautogui.dragTo(${place(action.end)}, button='left')`];
    case 'scroll': {
      const isAcross = action.direction === 'left' || action.direction === 'right';
      const scroll = `pyautogui.${isAcross ? 'hscroll' : 'scroll'}(${notchesOf(action.direction)})`;
      return [...(action.point ? [`pyautogui.moveTo(${place(action.point)})`] : []), scroll];
    }
    case 'type':
      return [`pyautogui.write(message=${pythonText(action.text)})`];
    case 'hotkey': {
      const keys = pyautoguiKeys(action.keys).map(pythonText);
      return [`pyautogui.${keys.length === 1 ? 'press' : 'hotkey'}(${keys.join(', ')})`];
    }
    case 'press':
    case 'release':
      return pyautoguiKeys(action.key).map(
        (key) => `pyautogui.${action.type === 'press' ? 'keyDown' : 'keyUp'}(${pythonText(key)})`,
      );
    case 'wait':
      return [action.seconds === undefined ? 'computer.wait()' : `time.sleep(${action.seconds})`];
    case 'finished': {
      const answer = action.answer === undefined ? '' : `, answer=${pythonText(action.answer)}`;
      return [`computer.terminate(status='success'${answer})`];
    }
    case 'call_user':
      return ["computer.terminate(status='failure')"];
    default:
      throw inexpressibleAction('opencua', action, index);
  }
}

const pointing = {
  click: 'click',
  right_click: 'rightClick',
  middle_click: 'middleClick',
  double_click: 'doubleClick',
  mouse_move: 'moveTo',
  mouse_down: 'mouseDown',
  mouse_up: 'mouseUp',
} as const;

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

/** Prints a text as Python's `repr`, with a code fence's backticks escaped. */
function pythonText(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inside = text
    .replace(/[\\\n\r\t]/g, (character) => escapes[character]!)
    // eslint-disable-next-line no-control-regex -- what `repr` escapes
    .replace(/[\x00-\x1f\x7f]|`(?=``)/g, hexEscape)
    .replace(/\p{Cs}/gu, (surrogate) => `\\u${surrogate.charCodeAt(0).toString(16)}`)
    .replaceAll(mark, `\\${mark}`);
  return `${mark}${inside}${mark}`;
}

function hexEscape(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
