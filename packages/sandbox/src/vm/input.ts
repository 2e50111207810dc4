import { setTimeout as pause } from 'node:timers/promises';
import { type Direction, GyreError, type MouseButton, type Size } from '@gyre/protocol';
import type { Pixel } from '../browser/viewport.js';
import { type ActionLimits, desktopLimits } from '../input/checkAction.js';
import { Keyboard, type KeyEvent, type RawKeyboard } from '../input/keyboard.js';
import { hotkeyOf, keyNamed } from '../input/keys.js';
import { Mouse, type RawMouse } from '../input/mouse.js';
import { type ActionDriver, notches } from '../input/performAction.js';
import { SeparateClicks } from '../input/separateClicks.js';
import { guestStrokes, qcodeOf } from './keys.js';
import type { Qmp } from './qmp.js';

/** Guests poll about as often. */
const dragStepMs = 16;

const axis = 0x8000;

/** QEMU's qapi/ui.json. */
type InputEvent =
  | { readonly type: 'key'; readonly data: { down: boolean; key: { type: 'qcode'; data: string } } }
  | { readonly type: 'btn'; readonly data: { down: boolean; button: string } }
  | { readonly type: 'abs'; readonly data: { axis: 'x' | 'y'; value: number } };

/** `vmLimits` has checked the actions. */
export class VmInput implements ActionDriver, RawMouse, RawKeyboard {
  readonly limits = vmLimits;
  readonly pointer = new Mouse(this);
  readonly keyboard = new Keyboard(this);
  readonly unanswered = 1;
  readonly dragSteps = 8;
  readonly notches = notches;
  readonly clicks = new SeparateClicks();
  readonly aimed: () => Promise<void>;
  readonly #qmp: Qmp;
  readonly #size: () => Size;
  readonly #keyMs: number;

  /**
   * @param size of the screen, as last seen.
   * @param keyMs between keys: keyboards buffer few and drop the rest.
   * @param aimed called once the pointer is in place: later changes are the action's effect.
   */
  constructor(qmp: Qmp, size: () => Size, keyMs: number, aimed: () => Promise<void>) {
    this.#qmp = qmp;
    this.#size = size;
    this.#keyMs = keyMs;
    this.aimed = aimed;
  }

  get size(): Size {
    return this.#size();
  }

  wait(ms: number): Promise<void> {
    return pause(ms);
  }

  pause(ms: number): Promise<void> {
    return pause(ms);
  }

  glide(): Promise<void> {
    return pause(dragStepMs);
  }

  move({ x, y }: Pixel): Promise<void> {
    const { width, height } = this.size;
    // The pixel's centre, however the guest rounds.
    const on = (pixel: number, side: number) => Math.floor(((pixel + 0.5) * axis) / side);
    return this.#send([
      { type: 'abs', data: { axis: 'x', value: on(x, width) } },
      { type: 'abs', data: { axis: 'y', value: on(y, height) } },
    ]);
  }

  down(button: MouseButton): Promise<void> {
    return this.#button(true, button);
  }

  up(button: MouseButton): Promise<void> {
    return this.#button(false, button);
  }

  /** In one call, the tablet would report only the end. */
  async wheel(direction: Direction): Promise<void> {
    await this.#button(true, `wheel-${direction}`);
    await this.#button(false, `wheel-${direction}`);
  }

  send(events: readonly KeyEvent[]): Promise<void> {
    return this.#send(events.map(({ key, down }) => keyEvent(down, qcodeOf(key))));
  }

  async type(text: string): Promise<void> {
    for (const { key, shifted } of guestStrokes(text)) {
      const stroke = [keyEvent(true, qcodeOf(key)), keyEvent(false, qcodeOf(key))];
      await this.#send(shifted ? [keyEvent(true, 'shift'), ...stroke, keyEvent(false, 'shift')] : stroke);
      await pause(this.#keyMs);
    }
  }

  #button(down: boolean, button: string): Promise<void> {
    return this.#send([{ type: 'btn', data: { down, button } }]);
  }

  async #send(events: readonly InputEvent[]): Promise<void> {
    await this.#qmp.ask('input-send-event', { events });
  }
}

function keyEvent(down: boolean, qcode: string): InputEvent {
  return { type: 'key', data: { down, key: { type: 'qcode', data: qcode } } };
}

export const vmLimits: ActionLimits = {
  machine: 'a machine',
  instead: desktopLimits.instead,
  checkKey: (key) => qcodeOf(keyNamed(key)),
  checkKeys: (keys) => hotkeyOf(keys).map(qcodeOf),
  checkText: guestStrokes,
  checkDirection: (direction) => {
    if (direction === 'up' || direction === 'down') return;
    throw new GyreError('bad_input', `the wheel of a machine does not scroll ${direction}`, {
      field: 'direction',
      fix: 'scroll up or down with shift held, if the program supports that, or drag the scroll bar',
    });
  },
};
