import { GyreError, type Action, type Direction, type MouseButton, type Point } from '@gyre/protocol';
import { framesIn } from '../browser/clock/clock.js';
import { Finger } from './finger.js';
import { hotkeyOf, keyNamed, shift, shifted, strokeOf, type Key } from './keyboard.js';
import type { Tab } from '../browser/tab/tab.js';
import { pixelAt, type Pixel } from '../browser/viewport.js';
import { Window } from '../browser/window.js';

/** Game time in ms that a finger rests on the screen in a `long_press`. */
const longPressMs = 600;

/** Places between the ends of a drag where the pointer is seen. */
const dragSteps = 4;

/** `wait` without a time, in s. */
export const defaultWait = 5;

/**
 * Key events of a text that the page has not answered yet, at most: each has the whole time limit from when it is sent, so that the limit of
 * a text grows with it, however slow an editor is.
 */
const mostUnanswered = 16;

const buttonBit: Readonly<Record<MouseButton, number>> = { left: 1, right: 2, middle: 4 };

const outside: Pixel = { x: -1, y: -1 };

/** The mouse, or the finger, and the keyboard of a tab. They know what is held down. */
export class Input {
  readonly #tab: Tab;
  readonly #finger: Finger;
  #pointer: Pixel = outside;
  readonly #buttons = new Set<MouseButton>();
  /** By DOM `code`. */
  readonly #keys = new Map<string, Key>();
  /** What the page lets be dragged and dropped, while it is under way. */
  #dragged: unknown;

  constructor(tab: Tab) {
    this.#tab = tab;
    this.#finger = new Finger(tab);
    tab.onDrag = (data) => (this.#dragged = data);
  }

  /** Takes the pointer off the screen and lets everything go. */
  async reset(): Promise<void> {
    for (const button of this.#buttons) await this.#button('mouseReleased', button, 1);
    for (const key of [...this.#keys.values()]) await this.#release(key);
    if (this.#pointer !== outside) await this.#move(outside);
    await this.#finger.lift();
  }

  /**
   * Does what an action does to the page, without the time that passes afterwards. Throws `bad_input` for actions that a
   * browser cannot take, before anything is done.
   */
  async perform(action: Action): Promise<void> {
    if (this.#tab.touch && Finger.does(action)) return this.#finger.perform(action);
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
        if (action.point !== undefined) await this.#move(this.#pixel(action.point));
        return this.#button('mousePressed', action.button ?? 'left', 1);
      case 'mouse_up':
        if (action.point !== undefined) await this.#move(this.#pixel(action.point));
        return this.#button('mouseReleased', action.button ?? 'left', 1);
      case 'mouse_move':
        return this.#move(this.#pixel(action.point));
      case 'drag':
      case 'swipe':
        return this.#drag(this.#pixel(action.start), this.#pixel(action.end));
      case 'long_press':
        await this.#move(this.#pixel(action.point));
        await this.#button('mousePressed', 'left', 1);
        await this.#tab.advance(framesIn(longPressMs));
        await this.#tab.settle();
        return this.#button('mouseReleased', 'left', 1);
      case 'scroll':
        return this.#scroll(action.direction, action.point);
      case 'type':
        return this.#type(action.text);
      case 'hotkey':
        return this.#hotkey(hotkeyOf(action.keys));
      case 'press':
        return this.#press(keyNamed(action.key));
      case 'release':
        return this.#release(keyNamed(action.key));
      case 'wait': {
        const ms = (action.seconds ?? defaultWait) * 1_000;
        // Where the page's time stands still, the network's does not.
        if (!this.#tab.live) await this.#tab.arriveWithin(ms);
        return this.#tab.advance(framesIn(ms));
      }
      case 'navigate':
        return this.#tab.navigate(webUrl(action.url));
      case 'navigate_back':
      case 'press_back':
        return this.#tab.back();
      case 'press_home':
      case 'open_app':
        throw new GyreError('bad_input', `a browser cannot take the action ${action.type}`, {
          field: 'type',
          fix: 'use it on a phone, or use navigate',
        });
    }
  }

  #pixel(point: Point): Pixel {
    return pixelAt(point, this.#tab.size);
  }

  async #move(to: Pixel): Promise<void> {
    this.#pointer = to;
    if (this.#dragged !== undefined) return this.#carry('dragOver');
    // A move that names no button is no drag, whatever is held.
    const [button] = this.#buttons;
    await this.#tab.input('Input.dispatchMouseEvent', {
      type: 'mouseMoved',
      ...to,
      button: button ?? 'none',
      ...this.#held(),
    });
  }

  async #click(point: Point, button: MouseButton, clicks: number): Promise<void> {
    const at = this.#pixel(point);
    this.#pointer = at;
    const { buttons, modifiers } = this.#held();
    const down = buttons | buttonBit[button];
    const mouse = (event: object) => this.#tab.call('Input.dispatchMouseEvent', { ...at, modifiers, ...event });
    // Sent in one go: the press carries the move with it, which would else wait for a frame.
    const events = [mouse({ type: 'mouseMoved', buttons })];
    for (let clickCount = 1; clickCount <= clicks; clickCount++) {
      events.push(mouse({ type: 'mousePressed', button, buttons: down, clickCount }));
      events.push(mouse({ type: 'mouseReleased', button, buttons, clickCount }));
    }
    await Promise.all(events);
  }

  async #button(type: 'mousePressed' | 'mouseReleased', button: MouseButton, clickCount: number): Promise<void> {
    if (type === 'mousePressed') this.#buttons.add(button);
    else this.#buttons.delete(button);
    if (type === 'mouseReleased' && this.#dragged !== undefined) {
      for (const step of ['dragEnter', 'dragOver', 'drop']) await this.#carry(step);
      this.#dragged = undefined;
    }
    await this.#tab.call('Input.dispatchMouseEvent', { type, ...this.#pointer, button, clickCount, ...this.#held() });
  }

  async #drag(start: Pixel, end: Pixel): Promise<void> {
    await this.#move(start);
    await this.#button('mousePressed', 'left', 1);
    for (let step = 1; step <= dragSteps; step++) {
      const share = step / dragSteps;
      await this.#move({
        x: Math.round(start.x + (end.x - start.x) * share),
        y: Math.round(start.y + (end.y - start.y) * share),
      });
      await this.#tab.advance(1);
    }
    await this.#tab.settle();
    await this.#button('mouseReleased', 'left', 1);
  }

  /** Does what a browser does while something is dragged: Chromium leaves that to the window system, which is not there. */
  async #carry(type: string): Promise<void> {
    const { modifiers } = this.#held();
    await this.#tab.input('Input.dispatchDragEvent', { type, ...this.#pointer, data: this.#dragged, modifiers });
  }

  /** Turns the wheel by half a screen. */
  async #scroll(direction: Direction, point: Point | undefined): Promise<void> {
    const { width, height } = this.#tab.size;
    if (point !== undefined) this.#pointer = this.#pixel(point);
    else if (this.#pointer === outside) this.#pointer = this.#pixel({ x: 0.5, y: 0.5 });
    const across = { left: -1, right: 1, up: 0, down: 0 }[direction] * Math.round(width / 2);
    const along = { left: 0, right: 0, up: -1, down: 1 }[direction] * Math.round(height / 2);
    await this.#move(this.#pointer);
    const { seen } = this.#tab;
    // In frames that are not composed the same scrolling is done again and again.
    this.#tab.seen = true;
    this.#tab.wheeled = true;
    try {
      await this.#tab.input('Input.dispatchMouseEvent', {
        type: 'mouseWheel',
        ...this.#pointer,
        deltaX: across,
        deltaY: along,
        ...this.#held(),
      });
      // The browser answers before it has scrolled; the next event of the mouse is answered after that.
      await this.#move(this.#pointer);
    } finally {
      this.#tab.seen = seen;
    }
  }

  /** Types as a person does where a US keyboard can; everything else arrives as text. A line break is the enter key. */
  async #type(text: string): Promise<void> {
    const sent = new Window(mostUnanswered);
    let foreign = '';
    const flush = async () => {
      if (foreign !== '') await sent.add(() => this.#tab.call('Input.insertText', { text: foreign }));
      foreign = '';
    };
    for (const character of text.replace(/\r\n?/g, '\n')) {
      const stroke =
        character === '\n'
          ? { key: keyNamed('enter'), shifted: false }
          : character === '\t'
            ? { key: keyNamed('tab'), shifted: false }
            : strokeOf(character);
      if (stroke === undefined) {
        foreign += character;
        continue;
      }
      await flush();
      const modifiers = stroke.shifted ? shift : 0;
      await sent.add(() => this.#key('keyDown', stroke.key, modifiers));
      await sent.add(() => this.#key('keyUp', stroke.key, modifiers));
    }
    await flush();
    await sent.answered();
  }

  async #hotkey(keys: readonly Key[]): Promise<void> {
    const sent: Promise<unknown>[] = [];
    let modifiers = this.#held().modifiers;
    for (const key of keys) sent.push(this.#key('keyDown', key, (modifiers |= key.modifier)));
    for (const key of keys.toReversed()) sent.push(this.#key('keyUp', key, (modifiers &= ~key.modifier)));
    await Promise.all(sent);
  }

  async #press(key: Key): Promise<void> {
    this.#keys.set(key.code, key);
    await this.#key('keyDown', key, this.#held().modifiers);
  }

  async #release(key: Key): Promise<void> {
    const pressed = this.#keys.get(key.code) ?? key;
    this.#keys.delete(key.code);
    await this.#key('keyUp', pressed, this.#held().modifiers);
  }

  #key(type: 'keyDown' | 'keyUp', key: Key, modifiers: number): Promise<unknown> {
    const isShifted = (modifiers & shift) !== 0;
    const text = key.text === undefined || !isShifted ? key.text : shifted(key.text);
    const typed = type === 'keyDown' && (modifiers & ~shift) === 0 ? text : undefined;
    return this.#tab.call('Input.dispatchKeyEvent', {
      type: type === 'keyDown' && typed === undefined ? 'rawKeyDown' : type,
      modifiers,
      key: isShifted ? shifted(key.key) : key.key,
      code: key.code,
      windowsVirtualKeyCode: key.keyCode,
      location: key.location ?? 0,
      ...(typed === undefined ? {} : { text: typed, unmodifiedText: key.text }),
    });
  }

  #held(): { buttons: number; modifiers: number } {
    let buttons = 0;
    let modifiers = 0;
    for (const button of this.#buttons) buttons |= buttonBit[button];
    for (const key of this.#keys.values()) modifiers |= key.modifier;
    return { buttons, modifiers };
  }
}

/** A URL that may be shown. Throws `bad_input` for other schemes: files and the browser's own pages stay closed. */
export function webUrl(url: string): string {
  const whole = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(url) ? url : `https://${url}`;
  if (/^(https?:\/\/|data:|about:blank$)/i.test(whole) && URL.canParse(whole)) return whole;
  throw new GyreError('bad_input', `cannot navigate to "${url}"`, {
    field: 'url',
    fix: 'use an http: or https: address',
  });
}
