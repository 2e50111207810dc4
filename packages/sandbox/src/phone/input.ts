import { type Action, GyreError, type Direction, type Point, type Size } from '@gyre/protocol';
import { pixelAt } from '../browser/viewport.js';
import type { Apps } from './apps.js';
import { complaint } from './complaint.js';
import { keycodeNamed, keycodesOf } from './keycodes.js';
import type { Link } from './link.js';
import type { PhoneScreen } from './screen.js';
import type { Typing } from './typing.js';
import { rest } from '../input/rest.js';
import { checkTyped } from '../input/typedText.js';
import { checkWhole } from '../input/wholeAction.js';

/** How long a finger rests in a `long_press`, in ms. Android takes 400 for long, unless the user has set more. */
const longPressMs = 800;

/** How long a finger takes over the screen, in ms: fast enough to fling, or so slowly that what it moves stops with it. */
const swipeMs = 300;
const dragMs = 1_000;
const scrollMs = 600;

/** How far a `scroll` goes, in shares of the screen, and the least where its point is near an edge. */
const scrolled = 0.5;
const leastScrolled = 0.25;

/** Where the edges begin, in shares: a finger that starts there means the system, not the app. */
const edge = 0.06;

/** Time between the two taps of a double click, in s: Android takes 0.04 to 0.3 for one. */
const doubleTapGap = 0.1;

const back = 4;
const home = 3;

/** The fingers on a phone, by the program `input` that it brings along. */
export class PhoneInput {
  readonly #link: Link;
  readonly #screen: PhoneScreen;
  readonly #apps: Apps;
  readonly #typing: Typing;

  constructor(link: Link, screen: PhoneScreen, apps: Apps, typing: Typing) {
    this.#link = link;
    this.#screen = screen;
    this.#apps = apps;
    this.#typing = typing;
  }

  /**
   * Does what an action does, without waiting for its effect. Throws `bad_input` for what a phone cannot take, before
   * anything is done.
   *
   * @param over ends a wait: the phone has gone.
   */
  async perform(action: Action, over: AbortSignal): Promise<void> {
    checkAction(action);
    switch (action.type) {
      case 'screenshot':
      case 'finished':
      case 'call_user':
        return;
      case 'click':
      case 'double_click':
      case 'long_press':
      case 'drag':
      case 'swipe':
      case 'scroll': {
        const { size } = await this.#screen.geometry();
        return this.#send(gesture(action, size));
      }
      case 'type':
        return this.#typing.type(action.text);
      case 'hotkey':
        return this.#hotkey(keycodesOf(action.keys));
      case 'navigate':
        return this.#apps.view(webAddress(action.url));
      case 'navigate_back':
      case 'press_back':
        return this.#send(`input keyevent ${back}`);
      case 'press_home':
        return this.#send(`input keyevent ${home}`);
      case 'open_app':
        return this.#apps.launch(action.name);
      case 'wait':
        return rest(action.seconds, over);
      case 'right_click':
      case 'middle_click':
      case 'mouse_down':
      case 'mouse_up':
      case 'mouse_move':
      case 'press':
      case 'release':
        // Refused by `checkAction`.
        return;
    }
  }

  async #hotkey(keycodes: readonly number[]): Promise<void> {
    const [only] = keycodes;
    if (keycodes.length === 1) return this.#send(`input keyevent ${only}`);
    const said = await this.#link.ask(`input keycombination ${keycodes.join(' ')}`);
    if (!/unknown command|^error/im.test(said)) return;
    throw new GyreError('bad_input', 'this phone takes one key at a time', {
      field: 'keys',
      fix: 'give one key; several at once need Android 13 or later',
    });
  }

  async #send(command: string): Promise<void> {
    const said = await this.#link.ask(command);
    const wrong = complaint(said);
    if (wrong === undefined) return;
    throw new GyreError('infra', `the phone does not take input: ${wrong}`, {
      part: 'phone',
      field: 'action',
      fix: 'allow it: some makers have a switch "USB debugging (security settings)" in the developer options',
    });
  }
}

type Gesture = Extract<Action, { type: 'click' | 'double_click' | 'long_press' | 'drag' | 'swipe' | 'scroll' }>;

/** The line of the shell that makes a gesture on a screen of that size. */
export function gesture(action: Gesture, size: Size): string {
  const at = (point: Point) => {
    const { x, y } = pixelAt(point, size);
    return `${x} ${y}`;
  };
  const move = (start: Point, end: Point, ms: number) => `input swipe ${at(start)} ${at(end)} ${ms}`;
  switch (action.type) {
    case 'click':
      return `input tap ${at(action.point)}`;
    case 'double_click': {
      const tap = `input tap ${at(action.point)}`;
      // Both start on their own: a phone may take longer to start the program than may lie between two taps.
      return `${tap} & sleep ${doubleTapGap}; ${tap}; wait`;
    }
    case 'long_press':
      return move(action.point, action.point, longPressMs);
    case 'drag':
      return move(action.start, action.end, dragMs);
    case 'swipe':
      return move(action.start, action.end, swipeMs);
    case 'scroll': {
      const { start, end } = scroll(action.point ?? { x: 0.5, y: 0.5 }, action.direction);
      return move(start, end, scrollMs);
    }
  }
}

/** The way of the finger: against the direction in which one looks on. It begins at the point where there is room. */
function scroll(point: Point, direction: Direction): { readonly start: Point; readonly end: Point } {
  const sign = direction === 'down' || direction === 'right' ? -1 : 1;
  const along = (from: number) => {
    const inside = within(from);
    const end = within(inside + sign * scrolled);
    return Math.abs(end - inside) >= leastScrolled ? [inside, end] : [end - sign * leastScrolled, end];
  };
  const upright = direction === 'up' || direction === 'down';
  const [from, to] = along(upright ? point.y : point.x) as [number, number];
  return upright
    ? { start: { x: point.x, y: from }, end: { x: point.x, y: to } }
    : { start: { x: from, y: point.y }, end: { x: to, y: point.y } };
}

const within = (share: number) => Math.min(Math.max(share, edge), 1 - edge);

/** Throws `bad_input` for an action that is none, and for one that a phone cannot take. */
export function checkAction(action: Action): void {
  checkWhole(action);
  switch (action.type) {
    case 'right_click':
    case 'middle_click':
    case 'mouse_down':
    case 'mouse_up':
    case 'mouse_move':
      throw refused(action.type, 'use click, long_press, drag or swipe: a phone has fingers and no mouse');
    case 'press':
      keycodeNamed(action.key);
      throw refused(action.type, 'use hotkey: a key of a phone cannot be held down from outside');
    case 'release':
      keycodeNamed(action.key);
      throw refused(action.type, 'use hotkey: no key of a phone is held down');
    case 'hotkey':
      keycodesOf(action.keys);
      return;
    case 'navigate':
      webAddress(action.url);
      return;
    case 'type':
      checkTyped(action.text);
      return;
    default:
      return;
  }
}

const refused = (type: string, fix: string) =>
  new GyreError('bad_input', `a phone cannot take the action ${type}`, { field: 'type', fix });

/** An address for the phone's browser. Throws `bad_input` for others: they open apps. */
function webAddress(url: string): string {
  const whole = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(url) ? url : `https://${url}`;
  if (/^https?:\/\//i.test(whole) && URL.canParse(whole)) return new URL(whole).href;
  throw new GyreError('bad_input', `cannot navigate to "${url}"`, {
    field: 'url',
    fix: 'use an http: or https: address, or open_app',
  });
}
