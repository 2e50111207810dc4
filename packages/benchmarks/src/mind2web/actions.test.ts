import type { AgentAction } from '@gyre/protocol';
import { describe, expect, test } from 'vitest';
import { isTold, printAction } from './actions.js';

const size = { width: 1280, height: 720 };
const point = { x: 0.25, y: 0.25 };

describe('actions of Online-Mind2Web', () => {
  test.each<[AgentAction, string]>([
    [{ type: 'click', point }, 'CLICK coords(320, 180) -> click'],
    [{ type: 'double_click', point }, 'CLICK coords(320, 180) -> double click'],
    [{ type: 'mouse_down' }, 'CLICK page -> press the left button'],
    [{ type: 'mouse_up', point, button: 'right' }, 'CLICK coords(320, 180) -> release the right button'],
    [{ type: 'drag', start: point, end: { x: 1, y: 1 } }, 'CLICK coords(320, 180) -> drag to (1280, 720)'],
    [{ type: 'mouse_move', point }, 'HOVER coords(320, 180) -> move the pointer here'],
    [{ type: 'scroll', direction: 'down' }, 'SCROLL page -> scroll down'],
    [{ type: 'scroll', direction: 'up', point }, 'SCROLL page -> scroll up at (320, 180)'],
    [{ type: 'type', text: 'red "kettle"\n' }, 'TYPE page -> type "red \\"kettle\\"\\n"'],
    [{ type: 'hotkey', keys: 'ctrl a' }, 'PRESS_KEY page -> press ctrl a'],
    [{ type: 'navigate', url: 'example.org' }, 'page -> NAVIGATE -> direct navigation'],
    [{ type: 'navigate_back' }, 'page -> GO_BACK -> return to the page before'],
    [{ type: 'wait' }, 'WAIT page -> wait 1 s'],
    [{ type: 'press_home' }, 'WAIT page -> press_home, which a browser lacks'],
  ])('%j', (action, printed) => {
    expect(printAction(action, size)).toBe(printed);
  });

  test('are facts: neither answers nor looks', () => {
    const types = [{ type: 'finished', answer: 'a' }, { type: 'call_user' }, { type: 'screenshot' }, { type: 'wait' }];
    expect(types.map((action) => isTold(action as AgentAction))).toEqual([false, false, false, true]);
  });
});
