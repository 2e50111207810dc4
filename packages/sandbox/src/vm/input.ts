import { setTimeout as pause } from 'node:timers/promises';
import { type Action, GyreError, type MouseButton, type Point, type Size } from '@gyre/protocol';
import { SeparateClicks } from '../input/separateClicks.js';
import { pixelAt } from '../browser/viewport.js';
import { checkWhole, refuseForeign } from '../input/wholeAction.js';
import { qcodeNamed, qcodesOf, strokesOf, type Qcode } from './keys.js';
import type { Qmp } from './qmp.js';

/** How long a finger rests on the screen in a `long_press`, in ms. */
const longPressMs = 600;

/** Places between the ends of a drag where the pointer is seen, and the time at each in ms: guests look about as often. */
const dragSteps = 8;
const dragStepMs = 16;

/** Notches of the wheel of one `scroll`. */
const notches = 5;

/** `wait` without a time, in s. */
const defaultWait = 5;

/** Where the axes of QEMU's tablet end. */
const axis = 0x8000;

/** An event as `input-send-event` takes it (InputEvent of QEMU's qapi/ui.json). */
type InputEvent =
  | { readonly type: 'key'; readonly data: { down: boolean; key: { type: 'qcode'; data: Qcode } } }
  | { readonly type: 'btn'; readonly data: { down: boolean; button: string } }
  | { readonly type: 'abs'; readonly data: { axis: 'x' | 'y'; value: number } };

const key = (down: boolean, qcode: Qcode): InputEvent => ({
  type: 'key',
  data: { down, key: { type: 'qcode', data: qcode } },
});
const button = (down: boolean, name: string): InputEvent => ({ type: 'btn', data: { down, button: name } });

/** The keyboard and the tablet of a machine. */
export class VmInput {
  readonly #qmp: Qmp;
  readonly #size: () => Size;
  readonly #keyMs: number;
  readonly #onAim: () => Promise<void>;
  readonly #clicks = new SeparateClicks();

  /**
   * @param size of the screen, as it was last seen.
   * @param keyMs time between two keys of a text: a keyboard holds few that have not been read, and drops what is too many.
   * @param onAim is called when the pointer is where it should be: what changes by that is not the action's effect.
   */
  constructor(qmp: Qmp, size: () => Size, keyMs: number, onAim: () => Promise<void>) {
    this.#qmp = qmp;
    this.#size = size;
    this.#keyMs = keyMs;
    this.#onAim = onAim;
  }

  /** Does what an action does, without waiting for its effect. The action has been checked. */
  async perform(action: Action): Promise<void> {
    switch (action.type) {
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
        return this.#send([button(action.type === 'mouse_down', action.button ?? 'left')]);
      case 'mouse_move':
        return this.#move(action.point);
      case 'drag':
      case 'swipe':
        return this.#drag(action.start, action.end);
      case 'long_press':
        await this.#aim(action.point);
        await this.#send([button(true, 'left')]);
        await pause(longPressMs);
        return this.#send([button(false, 'left')]);
      case 'scroll':
        if (action.point !== undefined) await this.#aim(action.point);
        for (let notch = 0; notch < notches; notch++) await this.#press(`wheel-${action.direction}`);
        return;
      case 'type':
        return this.#type(action.text);
      case 'hotkey': {
        const qcodes = qcodesOf(action.keys);
        await this.#send(qcodes.map((qcode) => key(true, qcode)));
        return this.#send(qcodes.toReversed().map((qcode) => key(false, qcode)));
      }
      case 'press':
      case 'release':
        return this.#send([key(action.type === 'press', qcodeNamed(action.key))]);
      case 'wait':
        return pause((action.seconds ?? defaultWait) * 1_000);
      case 'screenshot':
      case 'finished':
      case 'call_user':
      case 'navigate':
      case 'navigate_back':
      case 'press_back':
      case 'press_home':
      case 'open_app':
        // The first three do nothing; the others are refused by `checkVmAction`.
        return;
    }
  }

  /** Events of one call reach the guest as one. */
  async #send(events: readonly InputEvent[]): Promise<void> {
    await this.#qmp.ask('input-send-event', { events });
  }

  #move(point: Point): Promise<void> {
    const size = this.#size();
    const { x, y } = pixelAt(point, size);
    // The middle of a pixel is in it however the guest rounds.
    const at = (pixel: number, of: number) => Math.floor(((pixel + 0.5) * axis) / of);
    return this.#send([
      { type: 'abs', data: { axis: 'x', value: at(x, size.width) } },
      { type: 'abs', data: { axis: 'y', value: at(y, size.height) } },
    ]);
  }

  async #aim(point: Point): Promise<void> {
    await this.#move(point);
    await this.#onAim();
  }

  /** Down and up in two calls: in one, the tablet would only tell how it is in the end. */
  async #press(name: string): Promise<void> {
    await this.#send([button(true, name)]);
    await this.#send([button(false, name)]);
  }

  async #click(point: Point, name: MouseButton, clicks: number): Promise<void> {
    const at = pixelAt(point, this.#size());
    await this.#clicks.before(at, name);
    await this.#aim(point);
    for (let click = 0; click < clicks; click++) await this.#press(name);
    this.#clicks.after(at, name);
  }

  async #drag(start: Point, end: Point): Promise<void> {
    await this.#aim(start);
    await this.#send([button(true, 'left')]);
    for (let step = 1; step <= dragSteps; step++) {
      const share = step / dragSteps;
      await pause(dragStepMs);
      await this.#move({ x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share });
    }
    await pause(dragStepMs);
    return this.#send([button(false, 'left')]);
  }

  async #type(text: string): Promise<void> {
    for (const { qcode, shifted } of strokesOf(text)) {
      const stroke = [key(true, qcode), key(false, qcode)];
      await this.#send(shifted ? [key(true, 'shift'), ...stroke, key(false, 'shift')] : stroke);
      await pause(this.#keyMs);
    }
  }
}

/** Throws `bad_input` for an action that is none, and for one that a machine cannot take. */
export function checkVmAction(action: Action): void {
  checkWhole(action);
  refuseForeign(action, 'a machine');
  switch (action.type) {
    case 'scroll':
      if (action.direction === 'up' || action.direction === 'down') return;
      throw new GyreError('bad_input', `the wheel of a machine does not turn ${action.direction}`, {
        field: 'direction',
        fix: 'scroll up or down with shift held, where the program takes that; or drag the scroll bar',
      });
    case 'press':
    case 'release':
      qcodeNamed(action.key);
      return;
    case 'hotkey':
      qcodesOf(action.keys);
      return;
    case 'type':
      strokesOf(action.text);
      return;
    default:
      return;
  }
}
