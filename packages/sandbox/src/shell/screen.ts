import type { IBuffer, Terminal as Emulator } from '@xterm/headless';

/** Of a terminal, in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The screen of a terminal. */
export interface TerminalScreen {
  readonly size: TerminalSize;
  /** From 0 in the upper left corner; `column` is `size.columns` where a full row waits for its next character. */
  readonly cursor: { readonly column: number; readonly row: number; readonly visible: boolean };
  /** The rows, without trailing blanks. */
  readonly lines: readonly string[];
  /** Rows that have left the screen at its top and are kept: how many, and the last of them, as many as were asked for. */
  readonly scrollback: { readonly rows: number; readonly lines: readonly string[] };
  /** Does a full-screen program show, over what was there before? */
  readonly alternate: boolean;
  /** Set by programs; at most 1,000 characters. */
  readonly title: string;
}

/** Rows `from` to `to` of a buffer, without blanks at their ends. */
export function rowsOf(buffer: IBuffer, from: number, to: number): string[] {
  const rows: string[] = [];
  for (let row = Math.max(0, from); row < Math.min(to, buffer.length); row++) {
    rows.push(buffer.getLine(row)?.translateToString(true) ?? '');
  }
  return rows;
}

/** A place in a buffer. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/** Returns the text between two positions, with lines that were wrapped joined. */
export function textBetween(buffer: IBuffer, from: Place, to: Place): string {
  let text = '';
  for (let row = from.row; row <= to.row; row++) {
    const line = buffer.getLine(row);
    if (line === undefined) break;
    const broken = buffer.getLine(row + 1)?.isWrapped === true && row < to.row;
    const start = row === from.row ? from.column : 0;
    const piece = line.translateToString(!broken, start, row === to.row ? to.column : undefined);
    text += row === to.row || broken ? piece : `${piece}\n`;
  }
  return text;
}

/** Returns the screen of an emulator. */
export function screenOf(
  emulator: Emulator,
  extra: { visible: boolean; title: string; scrollback: number },
): TerminalScreen {
  const buffer = emulator.buffer.active;
  return {
    size: { columns: emulator.cols, rows: emulator.rows },
    cursor: { column: buffer.cursorX, row: buffer.cursorY, visible: extra.visible },
    lines: rowsOf(buffer, buffer.baseY, buffer.baseY + emulator.rows),
    scrollback: { rows: buffer.baseY, lines: rowsOf(buffer, buffer.baseY - extra.scrollback, buffer.baseY) },
    alternate: buffer.type === 'alternate',
    title: extra.title,
  };
}
