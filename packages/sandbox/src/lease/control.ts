import { type Action, GyreError, type MouseButton } from '@gyre/protocol';
import type { Screen } from './session.js';

/** A person's control of a session's mouse and keyboard. */
export interface Takeover {
  readonly by: string;
  /** Resolves when control is returned or the session ends. */
  readonly ended: Promise<void>;
  act(action: Action): Promise<void>;
  /** Releases keys and buttons. Idempotent. */
  end(): Promise<void>;
}

/** Arbitrates mouse and keyboard between a session's owner and a person. */
export class SessionControl {
  readonly #screen: Screen;
  readonly #listeners = new Set<() => void>();
  #holder: PersonTakeover | undefined;
  #closed = false;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  get holder(): string | undefined {
    return this.#holder?.by;
  }

  /** Until control is returned, other actions and takeovers throw `held`. */
  take(by: string): Takeover {
    this.check();
    if (this.#closed)
      throw new GyreError('infra', 'the session has ended', { part: 'lease', fix: 'lease another session' });
    const takeover = new PersonTakeover(by, this.#screen, () => {
      this.#holder = undefined;
      this.#tell();
    });
    this.#holder = takeover;
    this.#tell();
    return takeover;
  }

  check(): void {
    if (!this.#holder) return;
    throw new GyreError('held', `${this.#holder.by} has taken over the session`, {
      field: 'session',
      fix: 'try again when it is given back; you can still observe it',
    });
  }

  /** Makes actions throw `held` while a person is in control. */
  guard<Surface extends { act(action: Action): Promise<void> }>(surface: Surface): Surface {
    const act = async (action: Action) => {
      this.check();
      await surface.act(action);
    };
    return new Proxy(surface, { get: (target, name) => (name === 'act' ? act : Reflect.get(target, name, target)) });
  }

  /** Returns the unsubscribe function. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#closed = true;
    void this.#holder?.end();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

class PersonTakeover implements Takeover {
  readonly ended: Promise<void>;
  readonly #screen: Screen;
  readonly #giveBack: () => void;
  readonly #buttons = new Set<MouseButton>();
  readonly #keys = new Set<string>();
  #over: Promise<void> | undefined;
  #resolve: () => void = () => undefined;

  constructor(
    readonly by: string,
    screen: Screen,
    giveBack: () => void,
  ) {
    this.#screen = screen;
    this.#giveBack = giveBack;
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
  }

  async act(action: Action): Promise<void> {
    if (this.#over) {
      throw new GyreError('bad_input', 'the session has been given back', {
        field: 'session',
        fix: 'take it over again',
      });
    }
    if (action.type === 'mouse_down') this.#buttons.add(action.button ?? 'left');
    if (action.type === 'press') this.#keys.add(action.key);
    await this.#screen.act(action);
    if (action.type === 'mouse_up') this.#buttons.delete(action.button ?? 'left');
    if (action.type === 'release') this.#keys.delete(action.key);
  }

  end(): Promise<void> {
    return (this.#over ??= this.#letGo());
  }

  async #letGo(): Promise<void> {
    const releases: Action[] = [
      ...[...this.#buttons].map((button) => ({ type: 'mouse_up', button }) as const),
      ...[...this.#keys].map((key) => ({ type: 'release', key }) as const),
    ];
    // An ended session holds nothing down.
    for (const action of releases) await this.#screen.act(action).catch(() => undefined);
    this.#giveBack();
    this.#resolve();
  }
}
