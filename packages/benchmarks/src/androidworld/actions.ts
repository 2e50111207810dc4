import { type AgentAction, describeAction, type Point, type Size } from '@gyre/protocol';
import { pixelAt } from '@gyre/sandbox';

/** AndroidWorld's `JSONAction`, without absent fields. */
export interface JsonAction {
  readonly action_type: string;
  readonly x?: number;
  readonly y?: number;
  readonly text?: string;
  readonly direction?: string;
  readonly app_name?: string;
  readonly goal_status?: string;
}

/** Returns what an action is called in AndroidWorld, `unknown` with a description if it has no name there. */
export function jsonActionOf(action: AgentAction, screen: Size): JsonAction {
  const unknown = { action_type: 'unknown', text: describeAction(action) };
  const pointed = (action_type: string, point: Point): JsonAction => ({ action_type, ...pixelAt(point, screen) });
  switch (action.type) {
    case 'click':
      return pointed('click', action.point);
    case 'double_click':
      return pointed('double_tap', action.point);
    case 'long_press':
      return pointed('long_press', action.point);
    case 'scroll':
      return { action_type: 'scroll', direction: action.direction };
    case 'type':
      return { action_type: 'input_text', text: action.text };
    case 'hotkey':
      return action.keys === 'enter' ? { action_type: 'keyboard_enter' } : unknown;
    case 'press_home':
      return { action_type: 'navigate_home' };
    case 'press_back':
    case 'navigate_back':
      return { action_type: 'navigate_back' };
    case 'open_app':
      return { action_type: 'open_app', app_name: action.name };
    case 'wait':
      return { action_type: 'wait' };
    case 'finished':
      return action.answer === undefined
        ? { action_type: 'status', goal_status: 'complete' }
        : { action_type: 'answer', text: action.answer };
    case 'call_user':
      return { action_type: 'status', goal_status: 'infeasible' };
    default:
      return unknown;
  }
}
