import { setTimeout as pause } from 'node:timers/promises';
import x11 from 'x11';
import type { XConnection } from './connection.js';
import type { XEvent } from './xClient.js';

const answerMs = 2_000;

const lookMs = 50;

/**
 * Pings the front program (EWMH, `_NET_WM_PING`). Programs handle messages in order, so a pong means that all earlier
 * input is handled.
 */
export class WindowPing {
  readonly #connection: XConnection;
  #number = 0;
  #answered: () => void = () => undefined;

  constructor(connection: XConnection) {
    this.#connection = connection;
    connection.tell((client) =>
      client.ChangeWindowAttributes(connection.root, { eventMask: x11.eventMask.SubstructureNotify! }),
    );
    connection.onEvent((event) => this.#onEvent(event));
  }

  /** Resolves on a pong, after 2 s, or at once if the front program supports no pings. */
  async handled(): Promise<void> {
    const { root } = this.#connection;
    let question: { readonly window: number; readonly answer: Promise<void> } | undefined;
    for (const limit = performance.now() + answerMs; performance.now() < limit;) {
      // The input may have closed the previous window.
      const [window = 0] = await this.#connection.numbers(root, '_NET_ACTIVE_WINDOW');
      if (!(await this.#understands(window))) return;
      if (window !== question?.window) question = { window, ...(await this.#ask(window)) };
      const waited = new AbortController();
      const still = pause(lookMs, 'still', { signal: waited.signal }).catch(() => 'still');
      const outcome = await Promise.race([question.answer, this.#connection.ended, still]);
      waited.abort();
      if (outcome !== 'still') return;
    }
  }

  async #understands(window: number): Promise<boolean> {
    if (window === 0) return false;
    const known = await this.#connection.numbers(window, 'WM_PROTOCOLS').catch((): number[] => []);
    return known.includes(await this.#connection.atom('_NET_WM_PING'));
  }

  /** Returns an object, since a bare promise would be awaited. */
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

  #onEvent({ name, wid, data }: XEvent): void {
    if (name !== 'ClientMessage' || wid !== this.#connection.root || !Array.isArray(data)) return;
    if (data[1] === this.#number) this.#answered();
  }
}
