import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyName, keyNames, keysOf } from './key.js';
import { fuzz } from '../fuzz.test.fixture.js';

describe('keys that are pressed together', () => {
  it.each<[string, string]>([
    ['ctrl c', 'ctrl c'],
    ['ctrl+c', 'ctrl c'],
    ['Ctrl-C', 'ctrl C'],
    ['ctrl + c', 'ctrl c'],
    ['ctrl, c', 'ctrl c'],
    ["['ctrl', 'c']", 'ctrl c'],
    ['["ctrl", "shift", "t"]', 'ctrl shift t'],
    ['CTRL+ALT+DELETE', 'ctrl alt delete'],
    ['ControlOrMeta+Shift+z', 'ctrl shift z'],
    ['cmd+shift+4', 'meta shift 4'],
    ['ctrl++', 'ctrl +'],
    ['ctrl +', 'ctrl +'],
    ['ctrl + +', 'ctrl +'],
    ['ctrl+plus', 'ctrl +'],
    ['ctrl+-', 'ctrl -'],
    ['ctrl -', 'ctrl -'],
    ['ctrl+KP_Add', 'ctrl +'],
    ['alt+F4', 'alt f4'],
    ['Shift-Left', 'shift arrowleft'],
    ['ctrl left', 'ctrl arrowleft'],
    ['left ctrl', 'ctrl'],
    ['space -', 'space -'],
    ['page down', 'pagedown'],
    ['Page-Down', 'pagedown'],
    ['space bar', 'space'],
    ['print screen', 'printscreen'],
    ['+', '+'],
    ['-', '-'],
    [' ', 'space'],
  ])('%j are %j', (keys, names) => {
    expect(keysOf(keys)).toEqual(names === ' ' ? ['space'] : names.split(' '));
  });

  it.each(['', '   ', 'a b c d e f', 'ctrl+nokey', 'nokey'])('are not %j', (keys) => {
    expect(() => keysOf(keys)).toThrow(expect.objectContaining({ code: 'bad_input' }));
  });
});

describe('the name of a key', () => {
  it.each<[string, string]>([
    // UI-TARS and nut.js.
    ['return', 'enter'],
    ['pgdn', 'pagedown'],
    ['arrow_down', 'arrowdown'],
    ['spacebar', 'space'],
    // X keysyms (Anthropic, xdotool).
    ['Return', 'enter'],
    ['Page_Down', 'pagedown'],
    ['Prior', 'pageup'],
    ['KP_Enter', 'enter'],
    ['KP_5', '5'],
    ['Control_L', 'ctrl'],
    ['Super_L', 'meta'],
    ['ISO_Level3_Shift', 'alt'],
    ['BackSpace', 'backspace'],
    ['XF86AudioRaiseVolume', 'volumeup'],
    ['exclam', '!'],
    // OpenAI.
    ['ARROWDOWN', 'arrowdown'],
    ['CMD', 'meta'],
    ['OPTION', 'alt'],
    ['PAGEDOWN', 'pagedown'],
    ['DIVIDE', '/'],
    // pyautogui.
    ['esc', 'escape'],
    ['ctrlleft', 'ctrl'],
    ['winright', 'meta'],
    ['apps', 'menu'],
    ['prtscr', 'printscreen'],
    ['num5', '5'],
    ['add', '+'],
    ['\n', 'enter'],
    ['\t', 'tab'],
    // DOM (Playwright).
    ['ControlLeft', 'ctrl'],
    ['KeyA', 'a'],
    ['Digit1', '1'],
    ['NumpadAdd', '+'],
    ['Backquote', '`'],
    ['ContextMenu', 'menu'],
    ['F12', 'f12'],
    ['MediaPlayPause', 'playpause'],
  ])('%s is %s', (name, known) => {
    expect(keyName(name)).toBe(known);
  });

  it('is its own name', () => {
    for (const name of keyNames) expect(keyName(name)).toBe(name);
    expect(['A', 'a', 'é', '€', '1'].map(keyName)).toEqual(['A', 'a', 'é', '€', '1']);
    expect(['f0', 'f25', 'constructor', '__proto__', ''].map(keyName)).toEqual(Array(5).fill(undefined));
  });

  it('is found or not for any text, and keys are refused with nothing but bad_input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const name = keyName(text);
        if (name !== undefined) expect(keyName(name)).toBe(name);
        try {
          for (const key of keysOf(text)) expect(keyName(key)).toBe(key);
        } catch (error) {
          expect(error).toMatchObject({ code: 'bad_input' });
        }
      }),
      fuzz(1000),
    );
  });
});
