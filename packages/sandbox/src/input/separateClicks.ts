import { setTimeout as pause } from 'node:timers/promises';
import type { MouseButton } from '@gyre/protocol';
import type { Pixel } from '../browser/viewport.js';

/** Programs' limits for a double click. */
const doubleClickMs = 500;
const doubleClickPx = 5;

/** Keeps clicks of two actions from making a double click. */
export class SeparateClicks {
  #last: { readonly place: Pixel; readonly button: MouseButton; readonly time: number } | undefined;

  async before(place: Pixel, button: MouseButton): Promise<void> {
    const last = this.#last;
    if (last?.button !== button || Math.hypot(last.place.x - place.x, last.place.y - place.y) > doubleClickPx) return;
    await pause(Math.max(0, last.time + doubleClickMs - performance.now()));
  }

  after(place: Pixel, button: MouseButton): void {
    this.#last = { place, button, time: performance.now() };
  }
}
