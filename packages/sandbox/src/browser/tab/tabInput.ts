import type { Action } from '@gyre/protocol';
import { browserLimits } from '../../input/checkAction.js';
import { Finger } from '../../input/finger.js';
import { Keyboard } from '../../input/keyboard.js';
import { Mouse } from '../../input/mouse.js';
import { type ActionDriver, performAction, type PointerActions } from '../../input/performAction.js';
import { framesIn } from '../clock/clock.js';
import { webUrl } from '../webUrl.js';
import type { Tab } from './tab.js';
import { TabKeyboard } from './tabKeyboard.js';
import { TabMouse } from './tabMouse.js';
import { TabTouch } from './tabTouch.js';

export class TabInput implements ActionDriver {
  readonly limits = browserLimits;
  readonly keyboard: Keyboard;
  readonly #tab: Tab;
  readonly #rawMouse: TabMouse;
  readonly #mouse: Mouse;
  readonly #finger: Finger;

  constructor(tab: Tab) {
    this.#tab = tab;
    this.keyboard = new Keyboard(new TabKeyboard(tab));
    this.#rawMouse = new TabMouse(tab, this.keyboard);
    this.#mouse = new Mouse(this.#rawMouse);
    this.#finger = new Finger(new TabTouch(tab));
  }

  get pointer(): PointerActions {
    return this.#tab.touch ? this.#finger : this.#mouse;
  }

  perform(action: Action): Promise<void> {
    return performAction(action, this);
  }

  async wait(ms: number): Promise<void> {
    // A stepped clock does not stop the network.
    if (!this.#tab.live) await this.#tab.arriveWithin(ms);
    await this.#tab.advance(framesIn(ms));
  }

  async navigate(url: string): Promise<void> {
    await this.#tab.navigate(webUrl(url));
  }

  async back(): Promise<void> {
    await this.#tab.back();
  }

  /** Releases keys and buttons and moves the pointer off the screen. */
  async reset(): Promise<void> {
    await this.#rawMouse.releaseAll();
    await this.keyboard.releaseAll();
    await this.#rawMouse.leave();
    await this.#finger.lift();
  }
}
