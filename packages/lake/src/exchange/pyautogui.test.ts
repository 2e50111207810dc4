import type { Action } from '@gyre/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Unsupported } from './importing.js';
import { actionsOfCode } from './pyautogui.js';

const read = (code: string) => actionsOfCode(code, (x, y) => ({ x, y }), 'code');
const point = { x: 0.25, y: 0.5 };

describe('pyautogui code', () => {
  it.each<[string, Action[]]>([
    ['pyautogui.click(x=0.25, y=0.5)', [{ type: 'click', point }]],
    ['import pyautogui; pyautogui.click(0.25, .5) # here', [{ type: 'click', point }]],
    ["pyautogui.click(x=0.25, y=0.5, button='right')", [{ type: 'right_click', point }]],
    ['pyautogui.click(x=0.25, y=0.5, clicks=2, interval=0.1)', [{ type: 'double_click', point }]],
    ['pyautogui.doubleClick(x=0.25, y=0.5)', [{ type: 'double_click', point }]],
    ['pyautogui.moveTo(x=0.25, y=0.5)', [{ type: 'mouse_move', point }]],
    ['pyautogui.moveTo(0.25, 0.5)\npyautogui.click()', [{ type: 'click', point }]],
    ['pyautogui.moveTo(0.25, 0.5)\npyautogui.scroll(-3)', [{ type: 'scroll', point, direction: 'down' }]],
    ['pyautogui.hscroll(2)', [{ type: 'scroll', direction: 'right' }]],
    [
      "pyautogui.moveTo(x=0.25, y=0.5)\npyautogui.dragTo(x=1, y=0, button='left')",
      [{ type: 'drag', start: point, end: { x: 1, y: 0 } }],
    ],
    [
      'pyautogui.click(0.25, 0.5)\npyautogui.dragTo(1, 0)',
      [
        { type: 'click', point },
        { type: 'drag', start: point, end: { x: 1, y: 0 } },
      ],
    ],
    [
      String.raw`pyautogui.write(message='it\'s "☃"\n'); pyautogui.press('enter')`,
      [
        { type: 'type', text: 'it\'s "☃"\n' },
        { type: 'hotkey', keys: 'enter' },
      ],
    ],
    ["pyautogui.write('a' 'b')", [{ type: 'type', text: 'ab' }]],
    [
      '  pyautogui.click(0.25, 0.5);; pyautogui.press(keys="a", pause=01)',
      [
        { type: 'click', point },
        { type: 'hotkey', keys: 'a' },
      ],
    ],
    ["pyautogui.hotkey(keys=['cmd', 'c'])", [{ type: 'hotkey', keys: 'meta c' }]],
    ["pyautogui.hotkey(['cmd', 'c'])", [{ type: 'hotkey', keys: 'meta c' }]],
    ["pyautogui.hotkey('ctrlleft', 'shift', 'left')", [{ type: 'hotkey', keys: 'ctrl shift arrowleft' }]],
    [
      "pyautogui.press(keys=['esc'], presses=2)",
      [
        { type: 'hotkey', keys: 'escape' },
        { type: 'hotkey', keys: 'escape' },
      ],
    ],
    [
      "pyautogui.keyDown('Shift')\npyautogui.keyUp('Shift')",
      [
        { type: 'press', key: 'shift' },
        { type: 'release', key: 'shift' },
      ],
    ],
    ["computer.terminate(status='success')", [{ type: 'finished' }]],
    ['time.sleep(2)\ncomputer.wait()', [{ type: 'wait', seconds: 2 }, { type: 'wait' }]],
    ['', []],
  ])('%s', (code, actions) => expect(read(code)).toEqual(actions));

  it.each([
    ['pyautogui.tripleClick(0.1, 0.2)', 'pyautogui.tripleClick'],
    ['computer.triple_click(x=0.1, y=0.2)', 'computer.triple_click'],
    ["computer.terminate(status='failure')", 'computer.terminate (without success)'],
    ['pyautogui.click()', 'pyautogui.click (no point)'],
    ['pyautogui.click(x=0.5)', 'pyautogui.click (no point)'],
    ['pyautogui.click(0.1, 0.2, clicks=3)', 'pyautogui.click (3 clicks)'],
    ['pyautogui.click(0.1, 0.2, colour=3)', 'colour of pyautogui.click'],
    ['pyautogui.dragTo(0.1, 0.2)', 'pyautogui.dragTo (no start point)'],
    ["pyautogui.hotkey('a', 'b', 'c', 'd', 'e', 'f')", 'pyautogui.hotkey (6 keys)'],
    ['pyautogui.write(message=7)', 'message of pyautogui.write'],
    ["pyautogui.press('a', presses=1000000000)", 'presses of pyautogui.press'],
    ['time.sleep(3600)', 'seconds of wait'],
    ["__import__('os').system('true')", 'code that is not only calls'],
    ["os.system('true')", 'os.system'],
    ['toString()', 'toString'],
    ['pyautogui.click(__proto__=[1])', '__proto__ of pyautogui.click'],
    ['for i in range(3): pyautogui.click(0.1, 0.2)', 'code that is not only calls'],
    ['pyautogui.click(x=w * 0.5, y=0.1)', 'code that is not only calls'],
    ["pyautogui.write(f'{x}')", 'code that is not only calls'],
    ["pyautogui.write('open", 'code that is not only calls'],
    ['pyautogui.click(x=0.1, x=0.2)', 'code that is not only calls'],
  ])('%s is not guessed at', (code, what) => {
    expect(() => read(code)).toThrow(expect.objectContaining({ what, field: 'code' }));
  });

  it('never fails in another way than by saying so', () => {
    const piece = fc.constantFrom(
      'pyautogui.',
      'click',
      '(',
      ')',
      'x=',
      '0.5',
      ',',
      "'",
      '"',
      '[',
      ']',
      '\n',
      ';',
      '#',
      '\\',
      ' ',
      'press',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        try {
          read(pieces.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(Unsupported);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
