import x11 from 'x11';
import { GyreError } from '@gyre/protocol';
import type { Key } from '../input/keys.js';
import type { XConnection } from './connection.js';

export interface KeymapStroke {
  readonly keycode: number;
  readonly shifted: boolean;
}

/** Media keys (XF86...), which no action names. */
const media = { first: 0x1008_0000, last: 0x1008_ffff };

/** First Unicode keysym (X protocol, appendix A). */
const unicode = 0x0100_0000;

/**
 * Shortest row of unused keys to lend. Each change keeps every program busy (openbox: 30 ms), so a row changes in one
 * request.
 */
const shortestRun = 10;

const readMs = 2_000;

/**
 * Lends each foreign character its own unused key: programs look keys up when they read an event, and would misread one
 * remapped meanwhile.
 */
export class Keymap {
  readonly #connection: XConnection;
  /** Resolves when programs seem to have read the text. */
  readonly #read: () => Promise<void>;
  readonly #strokes = new Map<number, KeymapStroke>();
  /** Lent keysyms by unused keycode, least recently lent first. */
  readonly #spare = new Map<number, number | undefined>();
  /** Keycodes by lent keysym. */
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

  get capacity(): number {
    return this.#spare.size;
  }

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
      this.#spare.delete(keycode);
      if (lent !== undefined) this.#lent.delete(lent);
      row.slice(0, 2).forEach((keysym, level) => {
        if (keysym !== 0 && !this.#strokes.has(keysym)) this.#strokes.set(keysym, { keycode, shifted: level === 1 });
      });
    });
  }

  /** Returns letters without shift. Throws `bad_input` if the keyboard lacks the key. */
  strokeOf({ name, key, keysym: known }: Key): KeymapStroke {
    const character = [...key].length === 1 ? keysymOf(key.toLowerCase()) : undefined;
    const keysym = known === undefined ? character : x11.keySyms[`XK_${known}`]?.code;
    const stroke = keysym === undefined ? undefined : this.#strokes.get(keysym);
    if (stroke !== undefined) return stroke;
    throw new GyreError('bad_input', `this keyboard has no key "${name}"`, {
      field: 'key',
      fix: 'type it as text instead',
    });
  }

  isForeign(character: string): boolean {
    return !this.#strokes.has(keysymOf(character));
  }

  async lend(characters: Iterable<string>): Promise<void> {
    const foreign = new Set([...characters].filter((character) => this.isForeign(character)).map(keysymOf));
    const missing = [...foreign].filter((keysym) => !this.#lent.has(keysym));
    if (missing.length === 0) return;
    const free = [...this.#spare].filter(([, keysym]) => keysym === undefined || !foreign.has(keysym));
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
      // Also with shift, to preserve case.
      const row = run.flatMap((keycode) => [keysyms.get(keycode)!, keysyms.get(keycode)!]);
      this.#connection.tell((client) => client.ChangeKeyboardMapping(run[0]!, 2, row));
    }
  }

  strokeFor(character: string): KeymapStroke {
    this.#lastTyped = performance.now();
    const keysym = keysymOf(character);
    return this.#strokes.get(keysym) ?? { keycode: this.#lent.get(keysym)!, shifted: false };
  }
}

function keysymOf(character: string): number {
  if (character === '\n') return x11.keySyms.XK_Return!.code;
  if (character === '\t') return x11.keySyms.XK_Tab!.code;
  const code = character.codePointAt(0)!;
  return code < 0x100 ? code : unicode + code;
}

function isUseless(row: readonly number[]): boolean {
  return row.every((keysym) => keysym === 0 || (keysym >= media.first && keysym <= media.last));
}

/** Returns unused keycodes, longest run first. */
function spareKeycodes(rows: readonly (readonly number[])[], first: number): number[] {
  const useless = rows.flatMap((row, index) => (isUseless(row) ? [first + index] : []));
  const runs = runsOf(useless).filter((run) => run.length >= shortestRun);
  return runs.sort((a, b) => b.length - a.length).flat();
}

function runsOf(numbers: readonly number[]): number[][] {
  const runs: number[][] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last?.at(-1) === number - 1) last.push(number);
    else runs.push([number]);
  }
  return runs;
}
