import { InFlight } from './inFlight.js';
import { hotkeyOf, type Key, keyNamed } from './keys.js';
import type { KeyActions } from './performAction.js';

export interface KeyEvent {
  readonly key: Key;
  readonly down: boolean;
  /** CDP's `modifiers` after the event. */
  readonly modifiers: number;
}

export interface RawKeyboard {
  readonly unanswered: number;
  /** Sends a batch; resolves once taken. */
  send(events: readonly KeyEvent[]): Promise<void> | void;
  type(text: string): Promise<void>;
}

export class Keyboard implements KeyActions {
  readonly #raw: RawKeyboard;
  /** By DOM `code`. */
  readonly #held = new Map<string, Key>();

  constructor(raw: RawKeyboard) {
    this.#raw = raw;
  }

  get modifiers(): number {
    let modifiers = 0;
    for (const { modifier } of this.#held.values()) modifiers |= modifier;
    return modifiers;
  }

  type(text: string): Promise<void> {
    return this.#raw.type(text);
  }

  async hotkey(keys: string): Promise<void> {
    const pressed = hotkeyOf(keys);
    let { modifiers } = this;
    const downs = pressed.map((key) => ({ key, down: true, modifiers: (modifiers |= key.modifier) }));
    const ups = pressed.toReversed().map((key) => ({ key, down: false, modifiers: (modifiers &= ~key.modifier) }));
    const sent = new InFlight(this.#raw.unanswered);
    await sent.add(() => this.#raw.send(downs));
    await sent.add(() => this.#raw.send(ups));
    await sent.answered();
  }

  async press(name: string): Promise<void> {
    const key = keyNamed(name);
    this.#held.set(key.code, key);
    await this.#raw.send([{ key, down: true, modifiers: this.modifiers }]);
  }

  async release(name: string): Promise<void> {
    const named = keyNamed(name);
    const key = this.#held.get(named.code) ?? named;
    this.#held.delete(key.code);
    await this.#raw.send([{ key, down: false, modifiers: this.modifiers }]);
  }

  async releaseAll(): Promise<void> {
    for (const { name } of [...this.#held.values()]) await this.release(name);
  }
}
