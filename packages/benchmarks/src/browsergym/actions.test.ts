import type { AgentAction } from '@gyre/protocol';
import { describe, expect, test } from 'vitest';
import { browserGymAction } from './actions.js';

const size = { width: 498, height: 321 };
const point = { x: 0.5, y: 0.1 };

describe('actions of BrowserGym', () => {
  test.each<[AgentAction, string | undefined]>([
    [{ type: 'click', point }, 'mouse_click(249, 32.1)'],
    [{ type: 'right_click', point }, 'mouse_click(249, 32.1, "right")'],
    [{ type: 'double_click', point }, 'mouse_dblclick(249, 32.1)'],
    [{ type: 'mouse_down', point }, 'mouse_down(249, 32.1, "left")'],
    [{ type: 'drag', start: point, end: { x: 1, y: 1 } }, 'mouse_drag_and_drop(249, 32.1, 498, 321)'],
    [{ type: 'scroll', point, direction: 'up' }, 'scroll_at(249, 32.1, 0, -120)'],
    [{ type: 'scroll', direction: 'right' }, 'scroll_at(249, 160.5, 120, 0)'],
    [{ type: 'type', text: 'a "b"\n' }, 'keyboard_type("a \\"b\\"\\n")'],
    [{ type: 'hotkey', keys: 'ctrl a' }, 'keyboard_press("Control+a")'],
    [{ type: 'hotkey', keys: 'enter' }, 'keyboard_press("Enter")'],
    [{ type: 'hotkey', keys: 'space' }, 'keyboard_press("Space")'],
    [{ type: 'press', key: 'shift' }, 'keyboard_down("Shift")'],
    [{ type: 'wait', seconds: 0.5 }, 'noop(500)'],
    [{ type: 'screenshot' }, undefined],
  ])('%j', (action, printed) => {
    expect(browserGymAction(action, size)).toBe(printed);
  });

  test.each<AgentAction>([
    { type: 'mouse_up' },
    { type: 'navigate', url: 'https://example.org' },
    { type: 'press_home' },
    { type: 'execute_bash', command: 'ls' },
  ])('lack %j', (action) => {
    expect(() => browserGymAction(action, size)).toThrow(expect.objectContaining({ code: 'bad_input' }));
  });
});
