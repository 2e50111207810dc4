import { setTimeout as pause } from 'node:timers/promises';
import { type Action, type Direction, type MouseButton, type Point, type Size, keysOf } from '@gyre/protocol';
import { hotkeyOf, keyNamed } from '../input/keyboard.js';
import { pixelAt, type Pixel } from '../browser/viewport.js';
import type { XConnection } from './connection.js';
import { Keymap, type Stroke } from './keymap.js';
import { settled, type Settle } from '../browser/tab/settle.js';
import { SeparateClicks } from '../input/separateClicks.js';
import { checkTyped } from '../input/typedText.js';
import { checkWhole, refuseForeign } from '../input/wholeAction.js';

/** How long a finger rests on the screen in a `long_press`, in ms. */
const longPressMs = 600;

/** Places between the ends of a drag where the pointer is seen, and the time at each in ms: programs look at both. */
const dragSteps = 8;
const dragStepMs = 8;

/**
 * Between two strokes of one key in a text, in ms. Where the second comes in the millisecond in which the first ended, some programs,
 * LibreOffice among them, take it for the keyboard's repeating a key that is held down, and leave it out.
 */
const againMs = 2;

/** Notches of the wheel of one `scroll`. Programs make three lines or so of each. */
const notches = 5;

/** `wait` without a time, in s. */
const defaultWait = 5;

/** When a text that was typed has been read, as far as that can be seen: it shows, and for half a second no more comes. */
const typed: Settle = { firstChangeMs: 1_000, stableReads: 26, gapMs: 20, boundMs: 10_000 };

const buttonNumber: Readonly<Record<MouseButton, number>> = { left: 1, middle: 2, right: 3 };
const wheelNumber: Readonly<Record<Direction, number>> = { up: 4, down: 5, left: 6, right: 7 };

/** The mouse and the keyboard of a desktop, by the XTEST extension. */
export class Input {
  readonly #connection: XConnection;
  readonly #size: Size;
  readonly #keymap: Keymap;
  readonly #onAim: (() => void) | undefined;
  readonly #clicks = new SeparateClicks();

  /**
   * @param changed whether the screen has changed since the last time that it was asked.
   * @param onAim is called when the pointer is where it should be: what changes after that is the action's effect.
   */
  constructor(connection: XConnection, size: Size, changed: () => boolean, onAim?: () => void) {
    this.#connection = connection;
    this.#size = size;
    this.#onAim = onAim;
    this.#keymap = new Keymap(connection, () => settled(changed, typed));
  }

  /**
   * Does what an action does, without waiting for its effect; resolves when the server has done it. Throws `bad_input` for
   * what a desktop cannot take, before anything is done.
   */
  async perform(action: Action): Promise<void> {
    check(action);
    await this.#keymap.refresh();
    switch (action.type) {
      case 'screenshot':
      case 'finished':
      case 'call_user':
        return;
      case 'click':
        return this.#click(action.point, 'left', 1);
      case 'right_click':
        return this.#click(action.point, 'right', 1);
      case 'middle_click':
        return this.#click(action.point, 'middle', 1);
      case 'double_click':
        return this.#click(action.point, 'left', 2);
      case 'mouse_down':
      case 'mouse_up':
        if (action.point !== undefined) await this.#aim(action.point);
        this.#button(action.type === 'mouse_down', buttonNumber[action.button ?? 'left']);
        return this.#connection.sync();
      case 'mouse_move':
        this.#move(this.#pixel(action.point));
        return this.#connection.sync();
      case 'drag':
      case 'swipe':
        return this.#drag(action.start, action.end);
      case 'long_press':
        await this.#aim(action.point);
        this.#button(true, buttonNumber.left);
        await this.#rest(longPressMs);
        this.#button(false, buttonNumber.left);
        return this.#connection.sync();
      case 'scroll':
        if (action.point !== undefined) await this.#aim(action.point);
        for (let notch = 0; notch < notches; notch++) this.#tap(wheelNumber[action.direction]);
        return this.#connection.sync();
      case 'type':
        return this.#type(action.text);
      case 'hotkey':
        return this.#hotkey(keysOf(action.keys).map((name) => this.#keymap.named(name)));
      case 'press':
        this.#stroke(true, this.#keymap.named(action.key));
        return this.#connection.sync();
      case 'release':
        this.#stroke(false, this.#keymap.named(action.key));
        return this.#connection.sync();
      case 'wait':
        return this.#rest((action.seconds ?? defaultWait) * 1_000);
      case 'navigate':
      case 'navigate_back':
      case 'press_back':
      case 'press_home':
      case 'open_app':
        // Refused by `check`.
        return;
    }
  }

  /** Lets time pass, in ms, but not longer than there is a server. */
  async #rest(ms: number): Promise<void> {
    const over = new AbortController();
    const passed = pause(ms, undefined, { signal: over.signal }).catch(() => undefined);
    await Promise.race([passed, this.#connection.ended]);
    over.abort();
    return this.#connection.sync();
  }

  #pixel(point: Point): Pixel {
    return pixelAt(point, this.#size);
  }

  #move({ x, y }: Pixel): void {
    const { xtest, root } = this.#connection;
    this.#connection.tell(() => xtest.FakeInput(xtest.MotionNotify, 0, 0, root, x, y));
  }

  /** Moves the pointer there; what it changes by that alone is not the action's effect. */
  async #aim(point: Point): Promise<void> {
    this.#move(this.#pixel(point));
    if (this.#onAim === undefined) return;
    await this.#connection.sync();
    this.#onAim();
  }

  #button(down: boolean, button: number): void {
    const { xtest, root } = this.#connection;
    const type = down ? xtest.ButtonPress : xtest.ButtonRelease;
    this.#connection.tell(() => xtest.FakeInput(type, button, 0, root, 0, 0));
  }

  #tap(button: number): void {
    this.#button(true, button);
    this.#button(false, button);
  }

  async #click(point: Point, button: MouseButton, clicks: number): Promise<void> {
    const at = this.#pixel(point);
    await this.#clicks.before(at, button);
    await this.#aim(point);
    for (let click = 0; click < clicks; click++) this.#tap(buttonNumber[button]);
    this.#clicks.after(at, button);
    return this.#connection.sync();
  }

  async #drag(start: Point, end: Point): Promise<void> {
    await this.#aim(start);
    this.#button(true, buttonNumber.left);
    const [from, to] = [this.#pixel(start), this.#pixel(end)];
    for (let step = 1; step <= dragSteps; step++) {
      const share = step / dragSteps;
      await pause(dragStepMs);
      this.#move({ x: Math.round(from.x + (to.x - from.x) * share), y: Math.round(from.y + (to.y - from.y) * share) });
    }
    await pause(dragStepMs);
    this.#button(false, buttonNumber.left);
    return this.#connection.sync();
  }

  /** @param afterMs what the server waits before, in ms. */
  #key(down: boolean, keycode: number, afterMs = 0): void {
    const { xtest, root } = this.#connection;
    const type = down ? xtest.KeyPress : xtest.KeyRelease;
    this.#connection.tell(() => xtest.FakeInput(type, keycode, afterMs, root, 0, 0));
  }

  /** Presses or releases a key, with shift around it where it takes shift. */
  #stroke(down: boolean, { keycode, shifted }: Stroke, afterMs = 0): void {
    const shift = this.#keymap.named('shift').keycode;
    if (shifted && down) this.#key(true, shift);
    this.#key(down, keycode, afterMs);
    if (shifted && !down) this.#key(false, shift);
  }

  async #hotkey(strokes: readonly Stroke[]): Promise<void> {
    for (const stroke of strokes) this.#stroke(true, stroke);
    for (const stroke of strokes.toReversed()) this.#stroke(false, stroke);
    return this.#connection.sync();
  }

  async #type(text: string): Promise<void> {
    for (const piece of this.#pieces(text.replace(/\r\n?/g, '\n'))) {
      await this.#keymap.lend(piece);
      let before: number | undefined;
      for (const character of piece) {
        const stroke = this.#keymap.stroke(character);
        this.#stroke(true, stroke, stroke.keycode === before ? againMs : 0);
        this.#stroke(false, stroke);
        before = stroke.keycode;
      }
      await this.#connection.sync();
    }
  }

  /** Cuts a text where there would be more foreign characters than can be lent a key at once. */
  *#pieces(text: string): Generator<string> {
    let piece = '';
    const foreign = new Set<string>();
    for (const character of text) {
      if (this.#keymap.isForeign(character)) foreign.add(character);
      if (foreign.size > this.#keymap.capacity) {
        yield piece;
        piece = '';
        foreign.clear();
        foreign.add(character);
      }
      piece += character;
    }
    if (piece !== '') yield piece;
  }
}

/** Throws `bad_input` for an action that is none, and for one that a desktop cannot take. */
function check(action: Action): void {
  checkWhole(action);
  refuseForeign(action, 'a desktop');
  switch (action.type) {
    case 'press':
    case 'release':
      keyNamed(action.key);
      return;
    case 'hotkey':
      hotkeyOf(action.keys);
      return;
    case 'type':
      checkTyped(action.text);
      return;
    default:
      return;
  }
}
