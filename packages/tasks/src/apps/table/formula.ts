/** Raw cell contents, such as `=SUM(B2:B9)` or `=B2*C2+1`, by name. */
export type Cells = Readonly<Record<string, string>>;

const columnLetters = 'ABCDEFGH';

export const cellName = (column: number, row: number): string => `${columnLetters[column]}${row}`;

/** Column from 0 and row from 1. */
export function placeOf(cell: string): { column: number; row: number } {
  return { column: columnLetters.indexOf(cell[0] ?? 'A'), row: Number(cell.slice(1)) };
}

export function cellsBetween(a: string, b: string): string[] {
  const [from, to] = [placeOf(a), placeOf(b)];
  const cells: string[] = [];
  for (let row = Math.min(from.row, to.row); row <= Math.max(from.row, to.row); row++) {
    for (let column = Math.min(from.column, to.column); column <= Math.max(from.column, to.column); column++) {
      cells.push(cellName(column, row));
    }
  }
  return cells;
}

export function numberOf(text: string): number | undefined {
  const plain = text.trim().replace(/,/g, '');
  return plain !== '' && Number.isFinite(Number(plain)) ? Number(plain) : undefined;
}

/** Returns `#ERR` for an invalid formula. */
export function shownIn(cells: Cells, cell: string): string {
  const raw = cells[cell] ?? '';
  if (!raw.startsWith('=')) return raw;
  try {
    const value = new Parser(cells, raw.slice(1), new Set([cell])).result();
    return String(Math.round(value * 100) / 100);
  } catch {
    return '#ERR';
  }
}

const functions: Readonly<Record<string, (values: readonly number[]) => number>> = {
  SUM: (values) => values.reduce((sum, value) => sum + value, 0),
  AVERAGE: (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
  MIN: (values) => Math.min(...values),
  MAX: (values) => Math.max(...values),
  COUNT: (values) => values.length,
};

/** Evaluates a formula by recursive descent. */
class Parser {
  readonly #cells: Cells;
  readonly #within: ReadonlySet<string>;

  #position = 0;
  readonly #tokens: readonly string[];

  constructor(cells: Cells, text: string, within: ReadonlySet<string>) {
    this.#cells = cells;
    this.#within = within;

    this.#tokens = text.toUpperCase().match(/[A-Z]+\d+|[A-Z]+|\d+(?:\.\d+)?|[-+*/():,]/g) ?? [];
  }

  result(): number {
    const value = this.#sum();
    if (this.#position < this.#tokens.length || !Number.isFinite(value)) throw new Error('no formula');
    return value;
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#position] !== token) return false;
    this.#position++;
    return true;
  }

  #sum(): number {
    let value = this.#product();
    for (;;) {
      if (this.#take('+')) value += this.#product();
      else if (this.#take('-')) value -= this.#product();
      else return value;
    }
  }

  #product(): number {
    let value = this.#factor();
    for (;;) {
      if (this.#take('*')) value *= this.#factor();
      else if (this.#take('/')) value /= this.#factor();
      else return value;
    }
  }

  #factor(): number {
    const token = this.#tokens[this.#position++] ?? '';
    if (token === '-') return -this.#factor();
    if (token === '(') {
      const value = this.#sum();
      if (!this.#take(')')) throw new Error('no bracket');
      return value;
    }
    const call = functions[token];
    if (call) {
      if (!this.#take('(')) throw new Error('no bracket');
      const values: number[] = [];
      do values.push(...this.#range());
      while (this.#take(','));
      if (!this.#take(')')) throw new Error('no bracket');
      return call(values);
    }
    if (/^[A-H]\d+$/.test(token)) return this.#valueOf(token) ?? 0;
    if (/^\d/.test(token)) return Number(token);
    throw new Error('no value');
  }

  #range(): number[] {
    const first = this.#tokens[this.#position] ?? '';
    if (/^[A-H]\d+$/.test(first) && this.#tokens[this.#position + 1] === ':') {
      this.#position += 3;
      const last = this.#tokens[this.#position - 1] ?? '';
      if (!/^[A-H]\d+$/.test(last)) throw new Error('no cell');
      return cellsBetween(first, last).flatMap((cell) => this.#valueOf(cell) ?? []);
    }
    return [this.#sum()];
  }

  #valueOf(cell: string): number | undefined {
    if (this.#within.has(cell)) throw new Error('a circle');
    const raw = this.#cells[cell] ?? '';
    if (!raw.startsWith('=')) return numberOf(raw);
    return new Parser(this.#cells, raw.slice(1), new Set([...this.#within, cell])).result();
  }
}
