import type { Size } from '@gyre/protocol';
import type { RawTouch } from '../../input/finger.js';
import { framesIn } from '../clock/clock.js';
import type { Pixel } from '../viewport.js';
import type { Tab } from './tab.js';

export class TabTouch implements RawTouch {
  readonly #tab: Tab;
  #moves: Promise<unknown>[] = [];

  constructor(tab: Tab) {
    this.#tab = tab;
  }

  get size(): Size {
    return this.#tab.size;
  }

  start(at: Pixel): Promise<void> {
    return this.#tab.input('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] });
  }

  async move(to: Pixel): Promise<void> {
    // While a page scrolls, Chromium defers answers to moves until touchend.
    const moved = this.#tab.call('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [to] });
    moved.catch(() => undefined);
    this.#moves.push(moved);
    await this.#tab.settle();
  }

  async end(): Promise<void> {
    const moves = this.#moves;
    this.#moves = [];
    await this.#tab.input('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await this.#tab.until(Promise.all(moves));
  }

  async pause(ms: number): Promise<void> {
    await this.#tab.advance(framesIn(ms));
    await this.#tab.settle();
  }

  glide(): Promise<void> {
    return this.#tab.advance(1);
  }
}
