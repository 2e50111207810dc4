import { setTimeout as pause } from 'node:timers/promises';
import type { Action, Direction, MouseButton, Size } from '@gyre/protocol';
import { settled, type Settle } from '../browser/tab/settle.js';
import type { Pixel } from '../browser/viewport.js';
import { checkAction, desktopLimits } from '../input/checkAction.js';
import { Keyboard, type KeyEvent, type RawKeyboard } from '../input/keyboard.js';
import { keyNamed, unixLines } from '../input/keys.js';
import { Mouse, type RawMouse } from '../input/mouse.js';
import { type ActionDriver, notches, performAction } from '../input/performAction.js';
import { SeparateClicks } from '../input/separateClicks.js';
import type { XConnection } from './connection.js';
import { Keymap, type KeymapStroke } from './keymap.js';

const dragStepMs = 8;

/** Some programs (LibreOffice) drop an immediate second stroke as an auto-repeat. */
const againMs = 2;

/** Typed text counts as read once it shows and the screen rests for half a second. */
const typed: Settle = { firstChangeMs: 1_000, stableReads: 26, gapMs: 20, boundMs: 10_000 };

const buttonNumber: Readonly<Record<MouseButton, number>> = { left: 1, middle: 2, right: 3 };
const wheelNumber: Readonly<Record<Direction, number>> = { up: 4, down: 5, left: 6, right: 7 };

/** XTEST mouse and keyboard. */
export class DesktopInput implements ActionDriver, RawMouse, RawKeyboard {
  readonly limits = desktopLimits;
  readonly pointer = new Mouse(this);
  readonly keyboard = new Keyboard(this);
  readonly unanswered = Infinity;
  readonly dragSteps = 8;
  readonly notches = notches;
  readonly clicks = new SeparateClicks();
  readonly size: Size;
  readonly #connection: XConnection;
  readonly #keymap: Keymap;
  readonly #onAim: (() => void) | undefined;

  /**
   * @param changed whether the screen has changed since its last call.
   * @param onAim called with the pointer in place: later changes are the action's effect.
   */
  constructor(connection: XConnection, size: Size, changed: () => boolean, onAim?: () => void) {
    this.#connection = connection;
    this.size = size;
    this.#onAim = onAim;
    this.#keymap = new Keymap(connection, () => settled(changed, typed));
  }

  /** Resolves once the X server has processed the action. */
  async perform(action: Action): Promise<void> {
    checkAction(action, this.limits);
    await this.#keymap.refresh();
    await performAction(action, this);
    await this.#connection.sync();
  }

  async wait(ms: number): Promise<void> {
    const over = new AbortController();
    const passed = pause(ms, undefined, { signal: over.signal }).catch(() => undefined);
    await Promise.race([passed, this.#connection.ended]);
    over.abort();
    await this.#connection.sync();
  }

  pause(ms: number): Promise<void> {
    return this.wait(ms);
  }

  glide(): Promise<void> {
    return pause(dragStepMs);
  }

  move({ x, y }: Pixel): void {
    const { xtest, root } = this.#connection;
    this.#connection.tell(() => xtest.FakeInput(xtest.MotionNotify, 0, 0, root, x, y));
  }

  async aimed(): Promise<void> {
    if (this.#onAim === undefined) return;
    await this.#connection.sync();
    this.#onAim();
  }

  down(button: MouseButton): void {
    this.#button(true, buttonNumber[button]);
  }

  up(button: MouseButton): void {
    this.#button(false, buttonNumber[button]);
  }

  wheel(direction: Direction): void {
    this.#button(true, wheelNumber[direction]);
    this.#button(false, wheelNumber[direction]);
  }

  send(events: readonly KeyEvent[]): void {
    // Looked up before any key is pressed.
    const strokes = events.map(({ key, down }) => ({ down, stroke: this.#keymap.strokeOf(key) }));
    for (const { down, stroke } of strokes) this.#stroke(down, stroke);
  }

  async type(text: string): Promise<void> {
    for (const piece of this.#pieces(unixLines(text))) {
      await this.#keymap.lend(piece);
      let before: number | undefined;
      for (const character of piece) {
        const stroke = this.#keymap.strokeFor(character);
        this.#stroke(true, stroke, stroke.keycode === before ? againMs : 0);
        this.#stroke(false, stroke);
        before = stroke.keycode;
      }
      await this.#connection.sync();
    }
  }

  #button(down: boolean, button: number): void {
    const { xtest, root } = this.#connection;
    const type = down ? xtest.ButtonPress : xtest.ButtonRelease;
    this.#connection.tell(() => xtest.FakeInput(type, button, 0, root, 0, 0));
  }

  #key(down: boolean, keycode: number, afterMs = 0): void {
    const { xtest, root } = this.#connection;
    const type = down ? xtest.KeyPress : xtest.KeyRelease;
    this.#connection.tell(() => xtest.FakeInput(type, keycode, afterMs, root, 0, 0));
  }

  #stroke(down: boolean, { keycode, shifted }: KeymapStroke, afterMs = 0): void {
    const shift = this.#keymap.strokeOf(keyNamed('shift')).keycode;
    if (shifted && down) this.#key(true, shift);
    this.#key(down, keycode, afterMs);
    if (shifted && !down) this.#key(false, shift);
  }

  /** Splits a text so that each piece's foreign characters fit the spare keys. */
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
