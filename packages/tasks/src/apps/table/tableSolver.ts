import type { SolvedTurn } from '../../family/pageVerifier.js';
import type { Kit } from '../page/kit.js';
import { numberOf, placeOf, shownIn } from './formula.js';
import { type TableApp, letters, rows, rowsOf, selection } from './tableStore.js';

type TableKit = Kit<TableApp>;

/** A template's action (the menu of a column or row, and its option), or a question's cells. */
export interface TableHint {
  readonly menu?: string;
  readonly option?: string;
  readonly column?: string;
  readonly cell?: string;
}

export function solveTable(kit: TableKit): SolvedTurn | undefined {
  const { store, goal, ui } = kit;
  const { menu, option } = (kit.hint ?? {}) as TableHint;
  const wrong = cellsOf().filter((cell) => valueOf(store.cells, cell) !== valueOf(goal.cells, cell));
  if (menu && option && wrong.length > 0) return leave(kit) ?? kit.choose(menu, option, 'this does it at once');
  if (store.filter.column !== goal.filter.column || store.filter.value !== goal.filter.value) {
    const { column, value } = goal.filter;
    if (!column) return leave(kit) ?? kit.choose(`menu-${store.filter.column}`, 'all', 'all rows are to be seen');
    return leave(kit) ?? kit.choose(`menu-${column}`, `is:${value}`, `only rows with "${value}"`);
  }
  const [first] = wrong;
  if (first) return write(kit, first, goal.cells[first] ?? '');
  for (const [letter, button] of [
    ['bold', 'bold'],
    ['filled', 'fill'],
  ] as const) {
    const off = cellsOf().filter((cell) => Boolean(store[letter][cell]) !== Boolean(goal[letter][cell]));
    if (off.length > 0) return select(kit, off) ?? kit.press(button, 'do it to what is selected');
  }
  const column = letters.find((letter) => store.formats[letter] !== goal.formats[letter]);
  if (!column) return undefined;
  if (!ui.selected.startsWith(column))
    return leave(kit) ?? kit.press(`column-${column}`, `select the column ${column}`);
  return kit.choose('format', goal.formats[column] ?? 'plain', 'this is the format');
}

export function lookTable(kit: TableKit, { column, cell }: TableHint): SolvedTurn | undefined {
  if (cell) return kit.ui.selected === cell ? undefined : kit.press(`cell-${cell}`, 'look at this cell');
  const isSelected = kit.ui.selected === `${column}1` && kit.ui.corner === `${column}${rows}`;
  return isSelected ? undefined : kit.press(`column-${column}`, 'select the column: its sum shows below');
}

const cellsOf = (): string[] =>
  Array.from({ length: rows }, (_, row) => letters.map((letter) => `${letter}${row + 1}`)).flat();

function valueOf(cells: Readonly<Record<string, string>>, cell: string): string {
  const displayed = shownIn(cells, cell);
  return String(numberOf(displayed) ?? displayed);
}

function leave(kit: TableKit): SolvedTurn | undefined {
  return kit.ui.text === undefined ? undefined : kit.key('escape', 'this is not to be typed');
}

function write(kit: TableKit, cell: string, text: string): SolvedTurn {
  const { ui, store } = kit;
  if (ui.selected === cell && ui.text !== undefined) {
    return ui.text === text
      ? kit.key('enter', 'that is it: enter')
      : kit.key('escape', 'this is not what it should be');
  }
  if (!rowsOf(store).includes(placeOf(cell).row) && placeOf(cell).row > 1) {
    return kit.choose(`menu-${store.filter.column}`, 'all', 'the row is hidden');
  }
  if (ui.selected !== cell) return leave(kit) ?? kit.press(`cell-${cell}`, `go to ${cell}`);
  if (text === '') return kit.key('delete', `${cell} has to be empty`);
  return { thought: `${cell} has to be ${text}`, actions: [{ type: 'type', text: `${text}\n` }] };
}

function select(kit: TableKit, cells: readonly string[]): SolvedTurn | undefined {
  const { ui } = kit;
  const [first = '', last = ''] = [cells[0], cells.at(-1)];
  const now = selection(ui);
  if (now.length === cells.length && now.every((cell) => cells.includes(cell))) return leave(kit);
  const away = leave(kit);
  if (away) return away;
  const row = placeOf(first).row;
  if (cells.length === letters.length && cells.every((cell) => placeOf(cell).row === row)) {
    return kit.press(`row-${row}`, `select row ${row}`);
  }
  if (cells.length === 1) return kit.press(`cell-${first}`, `select ${first}`);
  return kit.drag(`cell-${first}`, `cell-${last}`, `select from ${first} to ${last}`);
}
