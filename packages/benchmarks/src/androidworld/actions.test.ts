import { Action } from '@gyre/protocol';
import { describe, expect, it } from 'vitest';
import { jsonActionOf } from './actions.js';

const screen = { width: 1_080, height: 2_400 };
const point = { x: 0.5, y: 0.25 };

describe('jsonActionOf', () => {
  it.each([
    [
      { type: 'click', point },
      { action_type: 'click', x: 540, y: 600 },
    ],
    [
      { type: 'long_press', point: { x: 1, y: 1 } },
      { action_type: 'long_press', x: 1_079, y: 2_399 },
    ],
    [
      { type: 'type', text: 'karo' },
      { action_type: 'input_text', text: 'karo' },
    ],
    [{ type: 'hotkey', keys: 'enter' }, { action_type: 'keyboard_enter' }],
    [{ type: 'press_back' }, { action_type: 'navigate_back' }],
    [
      { type: 'open_app', name: 'Markor' },
      { action_type: 'open_app', app_name: 'Markor' },
    ],
    [{ type: 'finished' }, { action_type: 'status', goal_status: 'complete' }],
    [
      { type: 'finished', answer: '7' },
      { action_type: 'answer', text: '7' },
    ],
    [{ type: 'call_user' }, { action_type: 'status', goal_status: 'infeasible' }],
  ])('names %j', (action, expected) => {
    expect(jsonActionOf(Action.parse(action), screen)).toEqual(expected);
  });

  it('describes an action that has no name there', () => {
    const { action_type, text } = jsonActionOf({ type: 'hotkey', keys: 'ctrl a' }, screen);
    expect([action_type, text]).toEqual(['unknown', 'hotkey ctrl a']);
  });
});
