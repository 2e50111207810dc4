import { type Action, GyreError, type MouseButton } from '@gyre/protocol';
import type { Screen } from './session.js';

/** Mouse and keyboard of a session, taken over by a person. */
export interface Takeover {
  readonly by: string;
  /** Resolves when they are given back, or the session has ended. */
  readonly ended: Promise<void>;
  /** Acts as `Screen.act` does. Throws `bad_input` once they are given back. */
  act(action: Action): Promise<void>;
  /** Gives them back, with no key or button held down. Twice is once. */
  end(): Promise<void>;
}

/** Arbitrates mouse and keyboard of a session between its owner and a person who takes them over. */
export class SessionControl {
  readonly #screen: Screen;
  readonly #listeners = new Set<() => void>();
  #holder: Held | undefined;
  #closed = false;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** The person who has taken them over. */
  get holder(): string | undefined {
    return this.#holder?.by;
  }

  /** Takes them over: until they are given back, all other actions throw `held`, and so does another take-over. */
  take(by: string): Takeover {
    this.check();
    if (this.#closed)
      throw new GyreError('infra', 'the session has ended', { part: 'lease', fix: 'lease another session' });
    const held = new Held(by, this.#screen, () => {
      this.#holder = undefined;
      this.#tell();
    });
    this.#holder = held;
    this.#tell();
    return held;
  }

  /** Throws `held` while a person has taken them over. */
  check(): void {
    if (!this.#holder) return;
    throw new GyreError('held', `${this.#holder.by} has taken the session over`, {
      field: 'session',
      fix: 'try again when it is given back; looking is free',
    });
  }

  /** Returns the same surface with actions that throw `held` while a person has taken them over. */
  guard<Surface extends { act(action: Action): Promise<void> }>(surface: Surface): Surface {
    const act = async (action: Action) => {
      this.check();
      await surface.act(action);
    };
    return new Proxy(surface, { get: (of, name) => (name === 'act' ? act : Reflect.get(of, name, of)) });
  }

  /** Calls `listener` whenever the holder changes. Returns the function that removes it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends a take-over with the session. */
  close(): void {
    this.#closed = true;
    void this.#holder?.end();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

class Held implements Takeover {
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
      throw new GyreError('bad_input', 'the session has been given back', { field: 'session', fix: 'take it over' });
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
    const held: Action[] = [
      ...[...this.#buttons].map((button) => ({ type: 'mouse_up', button }) as const),
      ...[...this.#keys].map((key) => ({ type: 'release', key }) as const),
    ];
    // A session that has ended holds nothing down.
    for (const action of held) await this.#screen.act(action).catch(() => undefined);
    this.#giveBack();
    this.#resolve();
  }
}
