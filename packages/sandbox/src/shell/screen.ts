import type { IBuffer, Terminal as Emulator } from '@xterm/headless';

/** In characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface TerminalScreen {
  readonly size: TerminalSize;
  /** From 0; `column` is `size.columns` if a full row waits for its next character. */
  readonly cursor: { readonly column: number; readonly row: number; readonly visible: boolean };
  readonly lines: readonly string[];
  /** The number of rows above the screen, and the last of them. */
  readonly scrollback: { readonly rows: number; readonly lines: readonly string[] };
  /** Whether a full-screen program shows. */
  readonly alternate: boolean;
  /** At most 1,000 characters. */
  readonly title: string;
}

function rowsOf(buffer: IBuffer, from: number, to: number): string[] {
  const rows: string[] = [];
  for (let row = Math.max(0, from); row < Math.min(to, buffer.length); row++) {
    rows.push(buffer.getLine(row)?.translateToString(true) ?? '');
  }
  return rows;
}

export interface Place {
  readonly row: number;
  readonly column: number;
}

/** Joins wrapped lines. */
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
