import { glyphHeads, letterHeads } from './architecture.js';
import { alphabet } from './alphabet.js';
import { type Grid, cell } from './grid.js';

/** `box` is in px; `index` is the position in `word`. */
export interface Letter {
  char: string;
  box: { x: number; y: number; width: number; height: number };
  word: string;
  index: number;
}

export interface GlyphTargets {
  /** `[places]`. */
  readonly cells: Int32Array;
  /** `[places, 9 heads]`: 0 is empty, then the alphabet without the space. */
  readonly classes: Int32Array;
  readonly weights: Float32Array;
}

/** Down-weights empty cells, which would otherwise dominate. */
const emptyWeight = 0.1;

const classIds = new Map(alphabet.filter((char) => char !== ' ').map((char, i) => [char, i + 1]));

export const glyphClasses = classIds.size + 1;

type Halves = [left: Letter | undefined, right: Letter | undefined];

/**
 * Returns targets of text cells, then of empty ones. `limit` bounds them; up to three quarters have text. `draw(n)`
 * returns an integer below n.
 */
export function glyphLabels(
  grid: Grid,
  letters: readonly Letter[],
  sample?: { limit: number; draw: (n: number) => number },
): GlyphTargets {
  const written = writtenIn(grid, letters);
  const empty = Array.from({ length: grid.cells }, (_, i) => i).filter((at) => !written.has(at));
  const textCells = [...written.keys()];
  let chosen = [...textCells, ...empty];
  let share = 1;
  if (sample && sample.limit < grid.cells) {
    const text = Math.min(textCells.length, Math.max(Math.ceil(0.75 * sample.limit), sample.limit - empty.length));
    const blank = Math.min(empty.length, sample.limit - text);
    chosen = [...drawn(textCells, text, sample.draw), ...drawn(empty, blank, sample.draw)];
    // Sampled empty cells represent all.
    share = blank > 0 ? Math.min(4, empty.length / blank) : 1;
  }
  const classes = new Int32Array(chosen.length * glyphHeads);
  const weights = new Float32Array(chosen.length * glyphHeads);
  for (const [place, cellIndex] of chosen.entries()) {
    const halves = written.get(cellIndex);
    const base = place * glyphHeads;
    if (!halves) {
      weights.fill(emptyWeight * share, base, base + glyphHeads);
      continue;
    }
    // A cell where two words meet belongs to the first.
    const word = [...((halves[0] ?? halves[1])?.word ?? '')];
    for (let k = 0; k < glyphHeads; k++) {
      const inWord = k - letterHeads;
      const char = inWord < 0 ? halves[k]?.char : word[inWord];
      const known = char === undefined ? 0 : classIds.get(char);
      classes[base + k] = known ?? 0;
      // Padding after a word is easy; characters without a class are ignored.
      weights[base + k] = known === undefined ? 0 : inWord <= word.length ? 1 : 0.3;
    }
  }
  return { cells: Int32Array.from(chosen), classes, weights };
}

function writtenIn(grid: Grid, letters: readonly Letter[]): Map<number, Halves> {
  const written = new Map<number, Halves>();
  const half = cell.width / letterHeads;
  for (const run of runs(letters)) {
    const top = Math.min(...run.map(({ box }) => box.y));
    const bottom = Math.max(...run.map(({ box }) => box.y + box.height));
    for (const row of rowsOf(grid, top, bottom)) {
      for (const letter of run) {
        const { x, width } = letter.box;
        const first = Math.max(0, Math.ceil(x / half - 0.5));
        const last = Math.min(letterHeads * grid.columns - 1, Math.ceil((x + width) / half - 0.5) - 1);
        for (let place = first; place <= last; place++) {
          const cellIndex = row * grid.columns + Math.floor(place / letterHeads);
          const halves = written.get(cellIndex) ?? [undefined, undefined];
          halves[place % letterHeads] = letter;
          written.set(cellIndex, halves);
        }
      }
    }
  }
  return written;
}

function drawn(pool: readonly number[], count: number, draw: (n: number) => number): number[] {
  const rest = [...pool];
  for (let i = 0; i < count; i++) {
    const j = i + draw(rest.length - i);
    [rest[i], rest[j]] = [rest[j]!, rest[i]!];
  }
  return rest.slice(0, count);
}

function runs(letters: readonly Letter[]): Letter[][] {
  const out: Letter[][] = [];
  let last: Letter | undefined;
  for (const letter of letters) {
    const continues = letter.word === last?.word && letter.index === last.index + 1;
    if (continues) out.at(-1)?.push(letter);
    else out.push([letter]);
    last = letter;
  }
  return out;
}

/** Returns the rows centred between `top` and `bottom`, or else the row of their middle. */
function rowsOf(grid: Grid, top: number, bottom: number): number[] {
  const rows: number[] = [];
  for (let row = 0; row < grid.rows; row++) {
    const centre = (row + 0.5) * cell.height;
    if (centre >= top && centre < bottom) rows.push(row);
  }
  if (rows.length > 0) return rows;
  const nearest = Math.floor((top + bottom) / 2 / cell.height);
  return nearest >= 0 && nearest < grid.rows ? [nearest] : [];
}
