import { type Action, type AgentAction, GyreError, type Point, type Size } from '@gyre/protocol';
import { hotkeyOf, type Key, keyNamed } from '@gyre/sandbox';

/** In px of the page, as a wheel's notch. */
const notch = 120;

/** BrowserGym scrolls in px of the screenshot, which is 1.5 times as large as the page. */
const directions = { up: [0, -notch], down: [0, notch], left: [-notch, 0], right: [notch, 0] } as const;

/**
 * Prints an action in BrowserGym's action space, sets `miniwob_all` and `coord`, with points in px of the screenshot.
 *
 * @param size of the screenshot
 * @returns undefined for an action that does nothing
 * @throws GyreError `bad_input` for one that BrowserGym lacks
 */
export function browserGymAction(action: AgentAction, size: Size): string | undefined {
  const pixelsOf = ({ x, y }: Point) => `${round(x * size.width)}, ${round(y * size.height)}`;
  switch (action.type) {
    case 'screenshot':
      return undefined;
    case 'click':
      return `mouse_click(${pixelsOf(action.point)})`;
    case 'right_click':
      return `mouse_click(${pixelsOf(action.point)}, "right")`;
    case 'middle_click':
      return `mouse_click(${pixelsOf(action.point)}, "middle")`;
    case 'double_click':
      return `mouse_dblclick(${pixelsOf(action.point)})`;
    case 'mouse_move':
      return `mouse_move(${pixelsOf(action.point)})`;
    case 'mouse_down':
    case 'mouse_up':
      return `${action.type}(${pixelsOf(pointed(action))}, "${action.button ?? 'left'}")`;
    case 'drag':
      return `mouse_drag_and_drop(${pixelsOf(action.start)}, ${pixelsOf(action.end)})`;
    case 'scroll': {
      const [x, y] = directions[action.direction];
      return `scroll_at(${pixelsOf(action.point ?? { x: 0.5, y: 0.5 })}, ${x}, ${y})`;
    }
    case 'type':
      return `keyboard_type(${JSON.stringify(action.text)})`;
    case 'hotkey':
      return `keyboard_press(${JSON.stringify(hotkeyOf(action.keys).map(playwrightName).join('+'))})`;
    case 'press':
      return `keyboard_down(${JSON.stringify(playwrightName(keyNamed(action.key)))})`;
    case 'release':
      return `keyboard_up(${JSON.stringify(playwrightName(keyNamed(action.key)))})`;
    case 'wait':
      return `noop(${1_000 * (action.seconds ?? 1)})`;
    default:
      throw new GyreError('bad_input', `BrowserGym has no action ${action.type}`, {
        field: 'type',
        fix: 'use the mouse or the keyboard',
      });
  }
}

function pointed({ type, point }: Extract<Action, { type: 'mouse_down' | 'mouse_up' }>): Point {
  if (point) return point;
  throw new GyreError('bad_input', `BrowserGym's ${type} needs a point`, { field: 'point', fix: 'add the point' });
}

/** Playwright names keys by their DOM `key`, and only the space by its code. */
const playwrightName = ({ key, code }: Key) => (key === ' ' ? code : key);

const round = (pixels: number) => Number(pixels.toFixed(1));
