import { setTimeout as pause } from 'node:timers/promises';
import x11 from 'x11';
import type { XConnection } from './connection.js';
import type { XEvent } from './xClient.js';

/** How long a program may be busy with an action before the action counts as done all the same, in ms. */
const answerMs = 2_000;

/** How often it is looked whether the window that was asked is still the one in front, in ms. */
const lookMs = 50;

/**
 * Asks the program in front whether it still answers, as window managers do before they offer to end one (EWMH, `_NET_WM_PING`).
 * Programs take what the X server sends them in its order, so the answer says more: all input before the question has been handled.
 */
export class Answers {
  readonly #connection: XConnection;
  /** Goes with each question, and comes back with its answer. */
  #number = 0;
  #answered: () => void = () => undefined;

  /** Listens on the root window, to which programs answer. */
  constructor(connection: XConnection) {
    this.#connection = connection;
    connection.tell((client) =>
      client.ChangeWindowAttributes(connection.root, { eventMask: x11.eventMask.SubstructureNotify! }),
    );
    connection.onEvent((event) => this.#hear(event));
  }

  /**
   * Resolves when the program in front has handled the input so far; at once where none is in front or it does not know the
   * question, and after 2 s where it does not answer.
   */
  async handled(): Promise<void> {
    const { root } = this.#connection;
    let asked: { readonly window: number; readonly answer: Promise<void> } | undefined;
    for (const limit = performance.now() + answerMs; performance.now() < limit;) {
      // What it did may have closed the window; another one is in front then, or, as the window manager has it, still this one.
      const [window = 0] = await this.#connection.numbers(root, '_NET_ACTIVE_WINDOW');
      if (!(await this.#understands(window))) return;
      if (window !== asked?.window) asked = { window, ...(await this.#ask(window)) };
      const waited = new AbortController();
      const still = pause(lookMs, 'still', { signal: waited.signal }).catch(() => 'still');
      const outcome = await Promise.race([asked.answer, this.#connection.ended, still]);
      waited.abort();
      if (outcome !== 'still') return;
    }
  }

  /** Whether a window is there, and would answer. */
  async #understands(window: number): Promise<boolean> {
    if (window === 0) return false;
    const known = await this.#connection.numbers(window, 'WM_PROTOCOLS').catch((): number[] => []);
    return known.includes(await this.#connection.atom('_NET_WM_PING'));
  }

  /** Resolves when the question is on its way, with its answer: a promise of a promise would be waited for. */
  async #ask(window: number): Promise<{ answer: Promise<void> }> {
    const protocols = await this.#connection.atom('WM_PROTOCOLS');
    const ping = await this.#connection.atom('_NET_WM_PING');
    const number = ++this.#number;
    const answer = new Promise<void>((resolve) => (this.#answered = resolve));
    this.#connection.tell((client) =>
      client.SendClientMessage(window, window, protocols, 32, [ping, number, window, 0, 0], 0),
    );
    return { answer };
  }

  #hear({ name, wid, data }: XEvent): void {
    if (name !== 'ClientMessage' || wid !== this.#connection.root || !Array.isArray(data)) return;
    if (data[1] === this.#number) this.#answered();
  }
}
