import { GyreError } from '@gyre/protocol';
import type { ActionLimits } from '../input/checkAction.js';
import type { ActionDriver, KeyActions } from '../input/performAction.js';
import { waitUnlessAborted } from '../input/waitUnlessAborted.js';
import type { Apps } from './apps.js';
import { androidError } from './androidError.js';
import { PhoneFinger } from './finger.js';
import { keycodeNamed, keycodesOf } from './keycodes.js';
import type { Link } from './link.js';
import type { PhoneScreen } from './screen.js';
import type { Typing } from './typing.js';

const back = 4;
const home = 3;

const byFinger = 'use click, long_press, drag or swipe: a phone has no mouse';

export const phoneLimits: ActionLimits = {
  machine: 'a phone',
  instead: {
    right_click: byFinger,
    middle_click: byFinger,
    mouse_down: byFinger,
    mouse_up: byFinger,
    mouse_move: byFinger,
    press: 'use hotkey: keys of a phone cannot be held down',
    release: 'use hotkey: keys of a phone cannot be held down',
  },
  checkKey: keycodeNamed,
  checkKeys: keycodesOf,
  checkUrl: webAddress,
};

export class PhoneInput implements ActionDriver {
  readonly limits = phoneLimits;
  readonly pointer: PhoneFinger;
  readonly keyboard: KeyActions;
  readonly #link: Link;
  readonly #apps: Apps;
  readonly #over: AbortSignal;

  constructor(link: Link, screen: PhoneScreen, apps: Apps, typing: Typing, over: AbortSignal) {
    this.#link = link;
    this.#apps = apps;
    this.#over = over;
    this.pointer = new PhoneFinger(
      (line) => this.#send(line),
      async () => (await screen.geometry()).size,
    );
    this.keyboard = {
      type: (text) => typing.type(text),
      hotkey: (keys) => this.#hotkey(keycodesOf(keys)),
    };
  }

  wait(ms: number): Promise<void> {
    return waitUnlessAborted(ms, this.#over);
  }

  navigate(url: string): Promise<void> {
    return this.#apps.view(webAddress(url));
  }

  back(): Promise<void> {
    return this.#send(`input keyevent ${back}`);
  }

  home(): Promise<void> {
    return this.#send(`input keyevent ${home}`);
  }

  openApp(name: string): Promise<void> {
    return this.#apps.launch(name);
  }

  async #hotkey(keycodes: readonly number[]): Promise<void> {
    const [only] = keycodes;
    if (keycodes.length === 1) return this.#send(`input keyevent ${only}`);
    const output = await this.#link.ask(`input keycombination ${keycodes.join(' ')}`);
    if (!/unknown command|^error/im.test(output)) return;
    throw new GyreError('bad_input', 'this phone accepts one key at a time', {
      field: 'keys',
      fix: 'use one key; several at once need Android 13 or later',
    });
  }

  async #send(line: string): Promise<void> {
    const wrong = androidError(await this.#link.ask(line));
    if (wrong === undefined) return;
    throw new GyreError('infra', `the phone rejected the input: ${wrong}`, {
      part: 'phone',
      field: 'action',
      fix: 'allow it: some phones have a switch "USB debugging (security settings)" in the developer options',
    });
  }
}

/** Throws `bad_input` for addresses that would open apps. */
function webAddress(url: string): string {
  const whole = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(url) ? url : `https://${url}`;
  if (/^https?:\/\//i.test(whole) && URL.canParse(whole)) return new URL(whole).href;
  throw new GyreError('bad_input', `cannot navigate to "${url}"`, {
    field: 'url',
    fix: 'use an http: or https: address, or open_app',
  });
}
