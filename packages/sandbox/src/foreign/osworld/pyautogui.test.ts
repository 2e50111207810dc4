import { expect, it } from 'vitest';
import type { Action, Point } from '@gyre/protocol';
import { Pointer } from '../served/pointer.js';
import { pyautoguiActions } from './pyautogui.js';

const size = { width: 100, height: 50 };
const px = (x: number, y: number): Point => ({ x: (x + 0.5) / 100, y: (y + 0.5) / 50 });
const middle = px(50, 25);

const table: readonly (readonly [string, readonly Action[]])[] = [
  ['pyautogui.click(10, 20)', [{ type: 'click', point: px(10, 20) }]],
  ["pyautogui.click(button='right', x=10.7, y=20, clicks=1)", [{ type: 'right_click', point: px(10, 20) }]],
  ['pyautogui.click((3, 4))', [{ type: 'click', point: px(3, 4) }]],
  ['pyautogui.click()', [{ type: 'click', point: middle }]],
  ['pyautogui.click(x=-5, y=1000)', [{ type: 'click', point: px(0, 49) }]],
  [
    'pyautogui.moveTo(1, 2); pyautogui.click()',
    [
      { type: 'mouse_move', point: px(1, 2) },
      { type: 'click', point: px(1, 2) },
    ],
  ],
  ['pyautogui.moveTo(1, 2, 0.7, pyautogui.easeInQuad)', [{ type: 'mouse_move', point: px(1, 2) }]],
  ['pyautogui.moveTo()', []],
  ['pyautogui.moveRel(1, -2)', [{ type: 'mouse_move', point: px(51, 23) }]],
  ['pyautogui.doubleClick(x=1, y=2)', [{ type: 'double_click', point: px(1, 2) }]],
  [
    'pyautogui.tripleClick(1, 2)',
    [
      { type: 'double_click', point: px(1, 2) },
      { type: 'click', point: px(1, 2) },
    ],
  ],
  ['pyautogui.middleClick(1, 2)', [{ type: 'middle_click', point: px(1, 2) }]],
  ["pyautogui.mouseDown(button='middle')", [{ type: 'mouse_down', point: middle, button: 'middle' }]],
  ["pyautogui.mouseUp(1, 2, 'right')", [{ type: 'mouse_up', point: px(1, 2), button: 'right' }]],
  [
    "pyautogui.dragTo(1, 2, duration=1.0, button='left', mouseDownUp=True)",
    [{ type: 'drag', start: middle, end: px(1, 2) }],
  ],
  [
    'pyautogui.mouseDown(); pyautogui.dragTo(1, 2); pyautogui.mouseUp()',
    [
      { type: 'mouse_down', point: middle, button: 'left' },
      { type: 'mouse_move', point: px(1, 2) },
      { type: 'mouse_up', point: px(1, 2), button: 'left' },
    ],
  ],
  ['pyautogui.scroll(-5)', [{ type: 'scroll', point: middle, direction: 'down' }]],
  ['pyautogui.vscroll(1)', [{ type: 'scroll', point: middle, direction: 'up' }]],
  ['pyautogui.scroll(0)', []],
  ['pyautogui.hscroll(10, x=1, y=2)', Array<Action>(2).fill({ type: 'scroll', point: px(1, 2), direction: 'right' })],
  ["pyautogui.typewrite('it\\'s')", [{ type: 'type', text: "it's" }]],
  ["pyautogui.write(message='a\\nb', interval=0.05)", [{ type: 'type', text: 'a\nb' }]],
  [
    "pyautogui.write(['a', 'enter'])",
    [
      { type: 'hotkey', keys: 'a' },
      { type: 'hotkey', keys: 'enter' },
    ],
  ],
  ["pyautogui.press('Return', presses=2)", Array<Action>(2).fill({ type: 'hotkey', keys: 'enter' })],
  [
    "pyautogui.press(['pgdn', ' '])",
    [
      { type: 'hotkey', keys: 'pagedown' },
      { type: 'hotkey', keys: 'space' },
    ],
  ],
  ["pyautogui.keyDown('ctrlleft')", [{ type: 'press', key: 'ctrl' }]],
  ["pyautogui.keyUp('winright')", [{ type: 'release', key: 'meta' }]],
  ["pyautogui.hotkey('ctrl', 'c')", [{ type: 'hotkey', keys: 'ctrl c' }]],
  ["pyautogui.hotkey(['ctrl', 'shift', 't'])", [{ type: 'hotkey', keys: 'ctrl shift t' }]],
  [
    "pyautogui.hotkey('ctrl', 'alt', 'shift', 'x')",
    [
      ...['ctrl', 'alt', 'shift', 'x'].map((key) => ({ type: 'press', key }) as const),
      ...['x', 'shift', 'alt', 'ctrl'].map((key) => ({ type: 'release', key }) as const),
    ],
  ],
  [
    'time.sleep(61.5)',
    [
      { type: 'wait', seconds: 60 },
      { type: 'wait', seconds: 1.5 },
    ],
  ],
  ['import pyautogui; import time; pyautogui.FAILSAFE = False; ', []],
];

it.each(table)('%s', (code, actions) => {
  expect(pyautoguiActions(code, new Pointer(size))).toEqual(actions);
});

it.each([
  'import os; pyautogui.click(1, 2)',
  'import pyautogui.os',
  'print(pyautogui.position())',
  "pyautogui.click('button.png')",
  'pyautogui.click(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)',
  'pyautogui.click(nothing=1)',
  'pyautogui.click(x=pyautogui.size)',
  "pyautogui.click(button='fourth')",
  'pyautogui.click(clicks=1.5)',
  "pyautogui.press('a', presses=10000)",
  'pyautogui.screenshot()',
  'pyautogui.constructor()',
  'pyautogui.LOG = True',
  'os.abort()',
])('does not understand %s', (code) => {
  expect(pyautoguiActions(code, new Pointer(size))).toBeUndefined();
});

it('refuses unknown keys', () => {
  const code = "pyautogui.click(1, 2); pyautogui.press('nosuchkey')";
  expect(() => pyautoguiActions(code, new Pointer(size))).toThrow(expect.objectContaining({ code: 'bad_input' }));
});
