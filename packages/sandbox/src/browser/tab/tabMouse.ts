import type { Direction, MouseButton, Size } from '@gyre/protocol';
import type { RawMouse } from '../../input/mouse.js';
import { framesIn } from '../clock/clock.js';
import { type Pixel, pixelAt } from '../viewport.js';
import type { Tab } from './tab.js';

const buttonBit: Readonly<Record<MouseButton, number>> = { left: 1, right: 2, middle: 4 };

const outside: Pixel = { x: -1, y: -1 };

export class TabMouse implements RawMouse {
  /** A click is sent in one batch: the press flushes the move, which would otherwise wait for a frame. */
  readonly unanswered = 8;
  readonly dragSteps = 4;
  readonly notches = 1;
  readonly #tab: Tab;
  readonly #keys: { readonly modifiers: number };
  #at: Pixel = outside;
  readonly #buttons = new Set<MouseButton>();
  #dragged: unknown;

  constructor(tab: Tab, keys: { readonly modifiers: number }) {
    this.#tab = tab;
    this.#keys = keys;
    tab.onDrag = (data) => (this.#dragged = data);
  }

  get size(): Size {
    return this.#tab.size;
  }

  get wheelAt(): Pixel {
    return this.#at === outside ? pixelAt({ x: 0.5, y: 0.5 }, this.size) : this.#at;
  }

  async move(to: Pixel, within?: 'click' | 'drag'): Promise<void> {
    this.#at = to;
    if (within === 'click') return this.#send({ type: 'mouseMoved' });
    if (this.#dragged !== undefined) return this.#carry('dragOver');
    // A move without a button is no drag, whatever is pressed.
    const [button] = this.#buttons;
    await this.#tab.input('Input.dispatchMouseEvent', this.#event({ type: 'mouseMoved', button: button ?? 'none' }));
  }

  async down(button: MouseButton, clickCount: number): Promise<void> {
    this.#buttons.add(button);
    await this.#send({ type: 'mousePressed', button, clickCount });
  }

  async up(button: MouseButton, clickCount: number): Promise<void> {
    this.#buttons.delete(button);
    if (this.#dragged !== undefined) {
      for (const step of ['dragEnter', 'dragOver', 'drop']) await this.#carry(step);
      this.#dragged = undefined;
    }
    await this.#send({ type: 'mouseReleased', button, clickCount });
  }

  /** Scrolls by half a screen. */
  async wheel(direction: Direction): Promise<void> {
    const { width, height } = this.size;
    const deltaX = { left: -1, right: 1, up: 0, down: 0 }[direction] * Math.round(width / 2);
    const deltaY = { left: 0, right: 0, up: -1, down: 1 }[direction] * Math.round(height / 2);
    const { seen } = this.#tab;
    // Without compositing the scroll would be applied repeatedly.
    this.#tab.seen = true;
    this.#tab.wheeled = true;
    try {
      await this.#tab.input('Input.dispatchMouseEvent', this.#event({ type: 'mouseWheel', deltaX, deltaY }));
      // Waits for the scroll: the wheel is answered before, the next event after it.
      await this.move(this.#at);
    } finally {
      this.#tab.seen = seen;
    }
  }

  async pause(ms: number): Promise<void> {
    await this.#tab.advance(framesIn(ms));
    await this.#tab.settle();
  }

  async glide(before: number | 'end'): Promise<void> {
    if (before !== 1) await this.#tab.advance(1);
    if (before === 'end') await this.#tab.settle();
  }

  async releaseAll(): Promise<void> {
    for (const button of this.#buttons) await this.up(button, 1);
  }

  async leave(): Promise<void> {
    if (this.#at !== outside) await this.move(outside);
  }

  /** Emulates drag and drop, for lack of a window system. */
  async #carry(type: string): Promise<void> {
    const { modifiers } = this.#keys;
    await this.#tab.input('Input.dispatchDragEvent', { type, ...this.#at, data: this.#dragged, modifiers });
  }

  async #send(event: object): Promise<void> {
    await this.#tab.call('Input.dispatchMouseEvent', this.#event(event));
  }

  #event(event: object): Record<string, unknown> {
    let buttons = 0;
    for (const button of this.#buttons) buttons |= buttonBit[button];
    return { ...event, ...this.#at, buttons, modifiers: this.#keys.modifiers };
  }
}
