import x11 from 'x11';
import { GyreError } from '@gyre/protocol';
import { keyNamed } from '../input/keyboard.js';
import type { XConnection } from './connection.js';

/** A key of the X keyboard, and whether shift is held with it. */
export interface Stroke {
  readonly keycode: number;
  readonly shifted: boolean;
}

/** X names of the keys that `keyNamed` knows by DOM names. */
const keysymNames: Readonly<Record<string, string>> = {
  Enter: 'XK_Return',
  Tab: 'XK_Tab',
  Escape: 'XK_Escape',
  Backspace: 'XK_BackSpace',
  Delete: 'XK_Delete',
  Insert: 'XK_Insert',
  ArrowLeft: 'XK_Left',
  ArrowUp: 'XK_Up',
  ArrowRight: 'XK_Right',
  ArrowDown: 'XK_Down',
  Home: 'XK_Home',
  End: 'XK_End',
  PageUp: 'XK_Page_Up',
  PageDown: 'XK_Page_Down',
  CapsLock: 'XK_Caps_Lock',
  Alt: 'XK_Alt_L',
  Control: 'XK_Control_L',
  Meta: 'XK_Super_L',
  Shift: 'XK_Shift_L',
  NumLock: 'XK_Num_Lock',
  ScrollLock: 'XK_Scroll_Lock',
  PrintScreen: 'XK_Print',
  Pause: 'XK_Pause',
  ContextMenu: 'XK_Menu',
  Help: 'XK_Help',
  Clear: 'XK_Clear',
};

/** Keys of media keyboards (XF86…), which no action names. */
const media = { first: 0x1008_0000, last: 0x1008_ffff };

/** Keysyms of all of Unicode begin here (X protocol, appendix A). */
const unicode = 0x0100_0000;

/**
 * Only keys without a use that come in a row of so many are lent. A row is changed in one go, and each change keeps every
 * program busy: openbox takes 30 ms.
 */
const shortestRun = 10;

/** After this time, in ms, what was typed has been read. */
const readMs = 2_000;

/**
 * What the keys of an X keyboard mean. Characters that it does not have are put on keys that are of no use otherwise, each
 * on its own: programs look up what a key means when they read it, not when it was pressed, so that one key that meant
 * one character after another would be read wrongly.
 */
export class Keymap {
  readonly #connection: XConnection;
  /** Resolves when programs seem to have read what was typed. */
  readonly #read: () => Promise<void>;
  readonly #strokes = new Map<number, Stroke>();
  /** Keycodes without a use of their own, the one that was lent longest ago first, and what each has been lent to. */
  readonly #spare = new Map<number, number | undefined>();
  /** Keycodes of keysyms that have been lent one. */
  readonly #lent = new Map<number, number>();
  #lastTyped = -Infinity;
  #stale = true;

  constructor(connection: XConnection, read: () => Promise<void>) {
    this.#connection = connection;
    this.#read = read;
    connection.onEvent(({ name }) => {
      if (name === 'MappingNotify') this.#stale = true;
    });
  }

  /** The most characters beyond the keyboard that can be typed in one go. */
  get capacity(): number {
    return this.#spare.size;
  }

  /** Reads the keyboard again if it has changed, whoever changed it. */
  async refresh(): Promise<void> {
    if (!this.#stale) return;
    this.#stale = false;
    const { first, last } = this.#connection.keycodes;
    const rows = await this.#connection.keyboardMapping(first, last - first + 1);
    if (this.#spare.size === 0) for (const keycode of spareKeycodes(rows, first)) this.#spare.set(keycode, undefined);
    this.#strokes.clear();
    rows.forEach((row, index) => {
      const keycode = first + index;
      const lent = this.#spare.get(keycode);
      if (lent === undefined ? isUseless(row) : row[0] === lent) return;
      // Somebody else has found a use for it.
      this.#spare.delete(keycode);
      if (lent !== undefined) this.#lent.delete(lent);
      row.slice(0, 2).forEach((keysym, level) => {
        if (keysym !== 0 && !this.#strokes.has(keysym)) this.#strokes.set(keysym, { keycode, shifted: level === 1 });
      });
    });
  }

  /** The stroke of a named key; letters are those of the unshifted key. Throws `bad_input` for names that are not known. */
  named(name: string): Stroke {
    const { key } = keyNamed(name);
    const known = keysymNames[key] ?? (/^F\d+$/.test(key) ? `XK_${key}` : undefined);
    const keysym =
      known !== undefined ? x11.keySyms[known]?.code : key.length === 1 ? keysymOf(key.toLowerCase()) : undefined;
    const stroke = keysym === undefined ? undefined : this.#strokes.get(keysym);
    if (stroke !== undefined) return stroke;
    throw new GyreError('bad_input', `this keyboard has no key "${name}"`, { field: 'key', fix: 'type it instead' });
  }

  /** True for a character that has to be lent a key. */
  isForeign(character: string): boolean {
    return !this.#strokes.has(keysymOf(character));
  }

  /** Lends keys to characters, to at most `capacity` foreign ones. */
  async lend(characters: Iterable<string>): Promise<void> {
    const wanted = new Set([...characters].filter((character) => this.isForeign(character)).map(keysymOf));
    const missing = [...wanted].filter((keysym) => !this.#lent.has(keysym));
    if (missing.length === 0) return;
    const free = [...this.#spare].filter(([, keysym]) => keysym === undefined || !wanted.has(keysym));
    const taken = free.slice(0, missing.length);
    const reused = taken.some(([, keysym]) => keysym !== undefined);
    if (reused && performance.now() < this.#lastTyped + readMs) await this.#read();
    const keysyms = new Map<number, number>();
    taken.forEach(([keycode, before], index) => {
      const keysym = missing[index]!;
      if (before !== undefined) this.#lent.delete(before);
      this.#spare.delete(keycode);
      this.#spare.set(keycode, keysym);
      this.#lent.set(keysym, keycode);
      keysyms.set(keycode, keysym);
    });
    for (const run of runsOf([...keysyms.keys()].sort((a, b) => a - b))) {
      // The same with shift, so that a letter stays what it is.
      const row = run.flatMap((keycode) => [keysyms.get(keycode)!, keysyms.get(keycode)!]);
      this.#connection.tell((client) => client.ChangeKeyboardMapping(run[0]!, 2, row));
    }
  }

  /** The stroke that types a character that the keyboard has or that was lent a key. */
  stroke(character: string): Stroke {
    this.#lastTyped = performance.now();
    const keysym = keysymOf(character);
    return this.#strokes.get(keysym) ?? { keycode: this.#lent.get(keysym)!, shifted: false };
  }
}

/** The keysym of one character: its code point, except that Latin-1 and the control keys came first. */
function keysymOf(character: string): number {
  if (character === '\n') return x11.keySyms.XK_Return!.code;
  if (character === '\t') return x11.keySyms.XK_Tab!.code;
  const code = character.codePointAt(0)!;
  return code < 0x100 ? code : unicode + code;
}

/** True for a key that types nothing that an action could ask for. */
function isUseless(row: readonly number[]): boolean {
  return row.every((keysym) => keysym === 0 || (keysym >= media.first && keysym <= media.last));
}

/** Keycodes without a use, those of the longest run first. */
function spareKeycodes(rows: readonly (readonly number[])[], first: number): number[] {
  const useless = rows.flatMap((row, index) => (isUseless(row) ? [first + index] : []));
  const runs = runsOf(useless).filter((run) => run.length >= shortestRun);
  return runs.sort((a, b) => b.length - a.length).flat();
}

/** Groups ascending numbers into runs without a gap. */
function runsOf(numbers: readonly number[]): number[][] {
  const runs: number[][] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last?.at(-1) === number - 1) last.push(number);
    else runs.push([number]);
  }
  return runs;
}
