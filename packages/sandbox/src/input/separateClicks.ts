import { setTimeout as pause } from 'node:timers/promises';
import type { MouseButton } from '@gyre/protocol';
import type { Pixel } from '../browser/viewport.js';

/** Clicks within this time in ms, and this distance in px, are a double click to programs. */
const doubleClickMs = 500;
const doubleClickPx = 5;

/** Keeps the clicks of two actions from counting as a double click. */
export class SeparateClicks {
  #last: { readonly place: Pixel; readonly button: MouseButton; readonly time: number } | undefined;

  /** Waits until the next click counts by itself. */
  async before(place: Pixel, button: MouseButton): Promise<void> {
    const last = this.#last;
    if (last?.button !== button || Math.hypot(last.place.x - place.x, last.place.y - place.y) > doubleClickPx) return;
    await pause(Math.max(0, last.time + doubleClickMs - performance.now()));
  }

  after(place: Pixel, button: MouseButton): void {
    this.#last = { place, button, time: performance.now() };
  }
}
