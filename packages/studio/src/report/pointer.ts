import type { Action, Point } from '@gyre/protocol';
import { html, type Markup } from '../markup.js';

const arrows: Record<string, string> = {
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  enter: '↵',
  tab: '⇥',
  backspace: '⌫',
  space: '␣',
};

/** `unit`: px per unit of line width, so that marks look alike at any size. */
interface Canvas {
  width: number;
  height: number;
  unit: number;
}

export function pointer(action: Action, size: { width: number; height: number }): Markup | undefined {
  const canvas = { ...size, unit: size.width / 160 };
  switch (action.type) {
    case 'click':
    case 'mouse_down':
    case 'mouse_up':
    case 'mouse_move':
      return action.point && ring(action.point, canvas);
    case 'double_click':
      return ring(action.point, canvas, '×2');
    case 'right_click':
      return ring(action.point, canvas, 'right');
    case 'middle_click':
      return ring(action.point, canvas, 'middle');
    case 'long_press':
      return ring(action.point, canvas, 'hold');
    case 'drag':
    case 'swipe':
      return arrow(action.start, action.end, canvas);
    case 'scroll': {
      const from = action.point ?? { x: 0.5, y: 0.5 };
      const step = { up: [0, -0.2], down: [0, 0.2], left: [-0.2, 0], right: [0.2, 0] }[action.direction] as [
        number,
        number,
      ];
      return arrow(from, { x: from.x + step[0], y: from.y + step[1] }, canvas);
    }
    case 'type':
      return keycap(action.text === '' ? '∅' : action.text, canvas);
    case 'hotkey':
      return keycap(action.keys.split(' ').map(keyName).join(' + '), canvas);
    case 'press':
    case 'release':
      return keycap(keyName(action.key), canvas);
    case 'navigate':
      return keycap(action.url, canvas);
    case 'navigate_back':
    case 'press_back':
      return keycap('back', canvas);
    case 'press_home':
      return keycap('home', canvas);
    case 'open_app':
      return keycap(action.name, canvas);
    case 'wait':
      return keycap('wait', canvas);
    case 'finished':
      return keycap(action.answer === undefined ? 'finished' : `finished: ${action.answer}`, canvas);
    case 'call_user':
      return keycap('call user', canvas);
    case 'screenshot':
      return undefined;
  }
}

const keyName = (key: string) => arrows[key] ?? key;

/** Outlined, to be visible on any background. */
function ring(point: Point, { width, height, unit }: Canvas, label?: string): Markup {
  const [x, y] = [point.x * width, point.y * height];
  const [inner, outer] = [5.5 * unit, 12 * unit];
  const ticks = `M${x - outer} ${y}H${x - inner}M${x + inner} ${y}H${x + outer}M${x} ${y - outer}V${y - inner}M${x} ${y + inner}V${y + outer}`;
  const side = point.x > 0.7 ? -1 : 1;
  const tag =
    label === undefined
      ? undefined
      : html`<text
          class="tag"
          x="${x + side * 13 * unit}"
          y="${y - 8 * unit}"
          font-size="${9 * unit}"
          stroke-width="${2.5 * unit}"
          text-anchor="${side < 0 ? 'end' : 'start'}"
          >${label}</text
        >`;
  return html`<g class="pointer"
    ><g class="halo" stroke-width="${3.6 * unit}"
      ><circle cx="${x}" cy="${y}" r="${8.5 * unit}" /><path d="${ticks}" /></g
    ><g class="line" stroke-width="${1.7 * unit}"
      ><circle class="glow" cx="${x}" cy="${y}" r="${8.5 * unit}" /><path d="${ticks}" /></g
    ><circle class="dot" cx="${x}" cy="${y}" r="${1.3 * unit}" />${tag}</g
  >`;
}

function arrow(start: Point, end: Point, { width, height, unit }: Canvas): Markup {
  const [x1, y1, x2, y2] = [start.x * width, start.y * height, end.x * width, end.y * height];
  const angle = Math.atan2(y2 - y1, x2 - x1);
  const wing = (turn: number) => `${x2 - 8 * unit * Math.cos(angle + turn)} ${y2 - 8 * unit * Math.sin(angle + turn)}`;
  const path = `M${x1} ${y1}L${x2} ${y2}M${wing(0.5)}L${x2} ${y2}L${wing(-0.5)}`;
  return html`<g class="pointer"
    ><g class="halo" stroke-width="${4.6 * unit}"
      ><circle cx="${x1}" cy="${y1}" r="${3.5 * unit}" /><path d="${path}" /></g
    ><g class="line" stroke-width="${2.2 * unit}"
      ><circle class="glow" cx="${x1}" cy="${y1}" r="${3.5 * unit}" /><path d="${path}" /></g
  ></g>`;
}

function keycap(text: string, { width, height, unit }: Canvas): Markup {
  const short = text.length > 22 ? `${text.slice(0, 21)}…` : text;
  const font = (short.length === 1 ? 14 : 10.5) * unit;
  const boxWidth = Math.max(20 * unit, short.length * font * 0.602 + 12 * unit);
  const boxHeight = 19 * unit;
  const [x, y] = [(width - boxWidth) / 2, height - boxHeight - 7 * unit];
  return html`<g class="keycap"
    ><rect
      class="side"
      x="${x}"
      y="${y + 2 * unit}"
      width="${boxWidth}"
      height="${boxHeight}"
      rx="${4.5 * unit}"
    /><rect
      class="top"
      x="${x}"
      y="${y}"
      width="${boxWidth}"
      height="${boxHeight}"
      rx="${4.5 * unit}"
      stroke-width="${0.9 * unit}"
    /><text x="${width / 2}" y="${y + boxHeight / 2}" font-size="${font}">${short}</text></g
  >`;
}
