import type { Scene } from '../app.js';
import { on } from '../page/elementHandlers.js';
import { Button, Drop, Icon, Toast } from '../page/parts.js';
import { runApp } from '../page/runApp.js';
import { cellsBetween, numberOf, shownIn } from './formula.js';
import { lookTable, solveTable } from './tableSolver.js';
import {
  type Format,
  type TableApp,
  neighbourOf,
  deleteRow,
  formatted,
  insertRow,
  letters,
  mark,
  rows,
  rowsOf,
  selection,
  setCell,
  sortBy,
} from './tableStore.js';

type TableScene = Scene<TableApp>;

function select({ ui }: TableScene, cell: string, corner = cell): void {
  Object.assign(ui, { selected: cell, corner, text: undefined });
}

function commit(scene: TableScene, across: number, down: number): void {
  const { store, ui } = scene;
  if (ui.text !== undefined) setCell(store, ui.selected, ui.text);
  select(scene, neighbourOf(ui.selected, across, down));
}

/** Returns whether the key was used. */
function keyIn(scene: TableScene, event: KeyboardEvent): boolean {
  const { store, ui } = scene;
  const isTyping = ui.text !== undefined;
  const steps: Record<string, [number, number]> = {
    ...{ Enter: [0, event.shiftKey ? -1 : 1], Tab: [event.shiftKey ? -1 : 1, 0] },
    ...(!isTyping && { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }),
  };
  const step = steps[event.key];
  if (step && event.shiftKey && event.key.startsWith('Arrow')) ui.corner = neighbourOf(ui.corner, ...step);
  else if (step) commit(scene, ...step);
  else if (isTyping) return false;
  else if (event.key === 'Delete' || event.key === 'Backspace')
    selection(ui).forEach((cell) => setCell(store, cell, ''));
  else if (event.key === 'F2') ui.text = store.cells[ui.selected] ?? '';
  else if ((event.ctrlKey || event.metaKey) && event.key === 'b') mark(store.bold, selection(ui));
  else return false;
  return true;
}

function Tools(scene: TableScene) {
  const { store, ui, words } = scene;
  const column = ui.selected[0] ?? 'A';
  const sum = () => {
    const row = Number(ui.selected.slice(1));
    let first = row;
    while (first > 2 && numberOf(shownIn(store.cells, `${column}${first - 1}`)) !== undefined) first--;
    if (first < row) setCell(store, ui.selected, `=SUM(${column}${first}:${column}${row - 1})`);
  };
  return (
    <div class="tools">
      <Button name="bold" icon="bold" press={() => mark(store.bold, selection(ui))} />
      <Button name="fill" icon="tag" press={() => mark(store.filled, selection(ui))}>
        {words.fill}
      </Button>
      <Drop
        name="format"
        ui={ui}
        options={(['plain', 'money', 'percent'] as const).map((key) => ({
          ...{ key, text: words[key], on: (store.formats[column] ?? 'plain') === key },
        }))}
        choose={(format) => {
          if (format === 'plain') delete store.formats[column];
          else store.formats[column] = format as Format;
        }}
      >
        {words.format}
      </Drop>
      <Button name="sum" icon="chart" press={sum}>
        {words.sum}
      </Button>
      <Button name="clear" icon="trash" press={() => selection(ui).forEach((cell) => setCell(store, cell, ''))}>
        {words.clear}
      </Button>
      <span class="grow" />
    </div>
  );
}

function ColumnHead({ scene, letter }: { scene: TableScene; letter: string }) {
  const { store, ui, words } = scene;
  const values = new Set<string>();
  for (let row = 2; row <= rows; row++) values.add(shownIn(store.cells, `${letter}${row}`));
  const few = [...values].filter((value) => value && numberOf(value) === undefined).sort();
  return (
    <th class={selection(ui).some((cell) => cell.startsWith(letter)) ? 'on' : ''}>
      <div class="across">
        <span
          class="grow"
          {...on(`column-${letter}`, { press: () => select(scene, `${letter}1`, `${letter}${rows}`) })}
        >
          {letter}
        </span>
        <Drop
          name={`menu-${letter}`}
          ui={ui}
          icon={store.filter.column === letter ? 'filter' : 'chevron'}
          kind="quiet"
          place={letter > 'C' ? 'end' : ''}
          options={[
            { key: 'up', text: words.up },
            { key: 'down', text: words.down },
            ...(few.length > 0 && few.length < 6
              ? few.map((key) => ({ key: `is:${key}`, text: `${words.only} ${key}` }))
              : []),
            { key: 'all', text: words.all },
          ]}
          choose={(key) => {
            if (key.startsWith('is:')) store.filter = { column: letter, value: key.slice(3) };
            else if (key === 'all') store.filter = { column: '', value: '' };
            else sortBy(store, letter, key === 'down');
          }}
        />
      </div>
    </th>
  );
}

function Cell({ scene, cell }: { scene: TableScene; cell: string }) {
  const { store, ui, language } = scene;
  const isSelected = cell === ui.selected;
  const text = formatted(store, cell, language === 'en' ? '$' : '¥');
  const classes = [
    isSelected ? 'selected' : selection(ui).includes(cell) ? 'within' : '',
    store.bold[cell] ? 'strong' : '',
    store.filled[cell] ? 'filled' : '',
    numberOf(shownIn(store.cells, cell)) === undefined ? '' : 'right',
  ];
  return (
    <td
      class={classes.join(' ')}
      {...on(`cell-${cell}`, {
        press() {},
        twice: () => (ui.text = store.cells[cell] ?? ''),
        down(event) {
          if (event.detail > 1 || (isSelected && ui.text !== undefined)) return;
          if (ui.text !== undefined) setCell(store, ui.selected, ui.text);
          if (event.shiftKey) ui.corner = cell;
          else select(scene, cell);
        },
        move(event) {
          const under = document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>('td[data-name]');
          if (under && ui.text === undefined) ui.corner = under.dataset.name?.slice(5) ?? ui.corner;
        },
      })}
    >
      {isSelected ? (
        <>
          <span class={ui.text === undefined ? 'cut' : 'cut hid'}>{text}</span>
          <input
            class={ui.text === undefined ? 'idle' : ''}
            value={ui.text ?? ''}
            spellcheck={false}
            autocomplete="off"
            {...on('cell-text', { type: (text) => (ui.text = text), key: (event) => keyIn(scene, event) })}
          />
        </>
      ) : (
        <span class="cut">{text}</span>
      )}
    </td>
  );
}

function RowHead({ scene, row }: { scene: TableScene; row: number }) {
  const { store, ui, words } = scene;
  const last = letters.at(-1) ?? 'A';
  return (
    <th class="rowhead">
      <div class="across">
        <span class="grow" {...on(`row-${row}`, { press: () => select(scene, `A${row}`, `${last}${row}`) })}>
          {row}
        </span>
        {row > 1 && (
          <Drop
            name={`rows-${row}`}
            ui={ui}
            icon="more"
            kind="quiet"
            place={row > 10 ? 'above' : ''}
            options={[
              { key: 'above', text: words.above },
              { key: 'remove', text: words.remove },
            ]}
            choose={(key) => (key === 'above' ? insertRow(store, row) : deleteRow(store, row))}
          />
        )}
      </div>
    </th>
  );
}

function TableView(scene: TableScene) {
  const { store, ui, words } = scene;
  const numbers = selection(ui).flatMap((cell) => numberOf(shownIn(store.cells, cell)) ?? []);
  const sum = numbers.reduce((all, value) => all + value, 0);
  const rounded = (value: number) => Math.round(value * 100) / 100;
  return (
    <>
      <div class="bar">
        <div class="brand">
          <Icon name="grid" />
          {words.app}
        </div>
      </div>
      <div class="body">
        <div class="pane panel">
          <Tools {...scene} />
          <div class="across formula">
            <span class="strong place">{ui.selected}</span>
            <span class="raw cut">{ui.text ?? store.cells[ui.selected] ?? ''}</span>
          </div>
          <div class="scroll pick">
            <table>
              <thead>
                <tr>
                  <th class="rowhead" />
                  {letters.map((letter) => (
                    <ColumnHead key={letter} scene={scene} letter={letter} />
                  ))}
                </tr>
              </thead>
              <tbody>
                {[1, ...rowsOf(store)].map((row) => (
                  <tr key={row} class={row === 1 ? 'names' : ''}>
                    <RowHead scene={scene} row={row} />
                    {letters.map((letter) => (
                      <Cell key={letter} scene={scene} cell={`${letter}${row}`} />
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <div class="across status small muted">
            <span class="grow" />
            {numbers.length > 1 && (
              <>
                <span>
                  {words.count}: {numbers.length}
                </span>
                <span>
                  {words.average}: {rounded(sum / numbers.length)}
                </span>
                <span class="strong">
                  {words.sum}: {rounded(sum)}
                </span>
              </>
            )}
          </div>
        </div>
      </div>
      <Toast ui={ui} />
    </>
  );
}

/** A number and a formula with the same result are equal. */
function cellFacts(cells: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    cellsBetween('A1', `${letters.at(-1)}${rows}`).map((cell) => {
      const visibleRange = shownIn(cells, cell);
      return [cell, String(numberOf(visibleRange) ?? visibleRange)];
    }),
  );
}

export default runApp<TableApp>({
  view: TableView,
  ui: () => ({ selected: 'A1', corner: 'A1', dragging: false }),
  solve: solveTable,
  look: lookTable,
  escape: ({ ui }) => void (ui.text = undefined),
  // The selected cell has focus, so that typing goes into it.
  drawn() {
    const field = document.querySelector<HTMLInputElement>('[data-name="cell-text"]');
    if (field && document.activeElement !== field) field.focus({ preventScroll: true });
  },
  matters: ({ cells, ...rest }) => ({ cells: cellFacts(cells), ...rest }),
});
