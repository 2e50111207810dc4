import type { AgentAction, Point, Size } from '@gyre/protocol';

/** An action without a place on the page. `finished` and `call_user` end the episode, and `screenshot` does nothing. */
type Told = Exclude<AgentAction, { type: 'screenshot' | 'finished' | 'call_user' }>;

export const isTold = ({ type }: AgentAction): boolean =>
  type !== 'screenshot' && type !== 'finished' && type !== 'call_user';

/**
 * Prints an action in grammar A of Online-Mind2Web's format v2, without its status: `CLICK coords(320, 180) -> click`.
 * Points are in px of the screenshot.
 */
export function printAction(action: AgentAction, size: Size): string {
  return printTold(action as Told, ({ x, y }) => `(${Math.round(x * size.width)}, ${Math.round(y * size.height)})`);
}

function printTold(action: Told, pixels: (point: Point) => string): string {
  const click = (point: Point | undefined, description: string) =>
    `CLICK ${point ? `coords${pixels(point)}` : 'page'} -> ${description}`;
  switch (action.type) {
    case 'click':
    case 'right_click':
    case 'double_click':
    case 'middle_click':
      return click(action.point, action.type.replace('_', ' '));
    case 'mouse_down':
    case 'mouse_up':
      return click(
        action.point,
        `${action.type === 'mouse_down' ? 'press' : 'release'} the ${action.button ?? 'left'} button`,
      );
    case 'drag':
      return click(action.start, `drag to ${pixels(action.end)}`);
    case 'mouse_move':
      return `HOVER coords${pixels(action.point)} -> move the pointer here`;
    case 'scroll':
      return `SCROLL page -> scroll ${action.direction}${action.point ? ` at ${pixels(action.point)}` : ''}`;
    case 'type':
      return `TYPE page -> type ${JSON.stringify(action.text)}`;
    case 'hotkey':
      return `PRESS_KEY page -> press ${action.keys}`;
    case 'press':
      return `PRESS_KEY page -> hold ${action.key}`;
    case 'release':
      return `PRESS_KEY page -> release ${action.key}`;
    case 'navigate':
      return 'page -> NAVIGATE -> direct navigation';
    case 'navigate_back':
      return 'page -> GO_BACK -> return to the page before';
    case 'wait':
      return `WAIT page -> wait ${action.seconds ?? 1} s`;
    default:
      return `WAIT page -> ${action.type}, which a browser lacks`;
  }
}
