import { InFlight } from '../../input/inFlight.js';
import type { KeyEvent, RawKeyboard } from '../../input/keyboard.js';
import { shift, shifted, strokesOf } from '../../input/keys.js';
import type { Tab } from './tab.js';

/** A US keyboard; other characters are inserted as text. */
export class TabKeyboard implements RawKeyboard {
  /** Bounded: each stroke's time limit starts when it is sent, and editors may be slow. */
  readonly unanswered = 8;
  readonly #tab: Tab;

  constructor(tab: Tab) {
    this.#tab = tab;
  }

  async send(events: readonly KeyEvent[]): Promise<void> {
    await Promise.all(events.map((event) => this.#send(event)));
  }

  async type(text: string): Promise<void> {
    const sent = new InFlight(this.unanswered);
    for (const part of strokesOf(text)) {
      if (typeof part === 'string') {
        await sent.add(() => this.#tab.call('Input.insertText', { text: part }));
        continue;
      }
      const { key } = part;
      const modifiers = part.shifted ? shift : 0;
      await sent.add(() => this.send([true, false].map((down) => ({ key, down, modifiers }))));
    }
    await sent.answered();
  }

  #send({ key, down, modifiers }: KeyEvent): Promise<unknown> {
    const isShifted = (modifiers & shift) !== 0;
    const text = key.text === undefined || !isShifted ? key.text : shifted(key.text);
    const typed = down && (modifiers & ~shift) === 0 ? text : undefined;
    return this.#tab.call('Input.dispatchKeyEvent', {
      type: !down ? 'keyUp' : typed === undefined ? 'rawKeyDown' : 'keyDown',
      modifiers,
      key: isShifted ? shifted(key.key) : key.key,
      code: key.code,
      windowsVirtualKeyCode: key.keyCode,
      // The left one of two modifiers.
      location: key.modifier === 0 ? 0 : 1,
      ...(typed === undefined ? {} : { text: typed, unmodifiedText: key.text }),
    });
  }
}
