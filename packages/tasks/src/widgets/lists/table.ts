import { widthOf } from '../drawing/font.js';
import { LabelMisfit } from '../drawing/labels.js';
import type { TableArgument } from './table.page.js';
import { widgetFamily } from '../widgetFamily.js';

export const table = widgetFamily({
  name: 'table',
  description: 'Click a table cell by row and column, or the control in a row.',
  templates: {
    cell: [
      'press the cell at row {row} and column {column}',
      'click the cell of {row} in the column {column}',
      'in the table, select column {column} of row {row}',
    ],
    control: ['press the button in the row {row}', 'click the button of {row} in the table'],
    box: ['tick the box in the row {row}', 'mark {row} in the table'],
  },
  layouts: { lines: ['grid', 'rows', 'stripes', 'bare'], head: ['soft', 'accent', 'bold'], control: ['first', 'last'] },
  room: { width: [140, 460], height: [100, 260] },
  styles: `
.table{position:absolute;left:0;right:0;top:0;display:grid;border:1px solid var(--line)}
.table>div{height:var(--high);padding:0 4px;display:flex;align-items:center;white-space:pre;overflow:hidden}
.table .head{background:var(--soft);font-weight:700}
.table.accent .head{background:var(--accent);color:var(--on-accent)}
.table.bold .head{background:none;border-bottom:2px solid var(--muted)}
.table.grid>div{border:solid var(--line);border-width:0 1px 1px 0}
.table.rows>div{border-bottom:1px solid var(--line)}
.table.stripes .odd{background:var(--soft)}
.table .cell:hover{background:var(--tint)}
.table .act{justify-content:center}
.table .act .btn{height:calc(var(--high) - 4px);width:calc(var(--high) + 4px);padding:0}
.table .act .btn::before{content:'';width:8px;height:8px;border:2px solid currentColor;border-radius:50%}
.table .tick{width:12px;height:12px;border:2px solid var(--muted);border-radius:3px;background:var(--card)}
.table .tick.pressed{background:var(--accent)}`,
  page: 'widgets/lists/table',
  draw({ random, area, row, skin, labels, layout }) {
    const { font } = skin;
    const high = row + random.between(0, 4);
    const variant = random.pick(['cell', 'cell', 'control', 'box'] as const);
    const narrow = variant === 'cell' ? 0 : high + 14;
    const columns = Math.max(
      variant === 'cell' ? 2 : 1,
      Math.min(5, Math.floor((area.width - narrow) / random.between(48, 80)) - 1),
    );
    const rows = Math.min(random.between(3, 7), Math.floor((area.height - 4) / high) - 1);
    if (rows < 2) throw new LabelMisfit('less than 2 rows');
    const width = (area.width - narrow - 2) / (columns + 1);
    const room = Math.floor(width / (font.weight === 700 ? 1 : 1.1)) - 11;
    const names = labels.several(rows, room);
    const heads = labels.several(columns, room);
    const target = { row: random.between(0, rows - 1), column: random.between(0, columns - 1) };
    const numbers = random.chance(0.6);
    const value = (): string => {
      const text = numbers ? String(random.between(0, 99)) : labels.filler();
      return widthOf(text, font) <= room ? text : '';
    };

    const act = (index: number) =>
      variant === 'box'
        ? `<div class="act" data-name="side-${index}"><div class="tick" data-name="act-${index}"></div></div>`
        : `<div class="act"><div class="btn ${skin.button}" data-name="act-${index}"></div></div>`;
    const withAct = (cells: readonly string[], control: string) =>
      narrow === 0 ? cells : layout.control === 'first' ? [control, ...cells] : [...cells, control];
    const head = withAct(
      ['', ...heads].map((label) => `<div class="head">${label}</div>`),
      '<div class="head"></div>',
    );
    const body = names.flatMap((name, index) => {
      const odd = index % 2 ? ' odd' : '';
      const cells = heads.map(
        (_, column) => `<div class="cell${odd}" data-name="cell-${index}-${column}">${value()}</div>`,
      );
      return withAct([`<div class="${odd}">${name}</div>`, ...cells], act(index));
    });
    const sides = `${narrow}px`;
    const tracks = withAct([`repeat(${columns + 1},1fr)`], sides).join(' ');
    const argument: TableArgument = {
      target: variant === 'cell' ? `cell-${target.row}-${target.column}` : `act-${target.row}`,
    };
    return {
      html: `<div class="table ${layout.lines} ${layout.head}" style="--high:${high}px;grid-template-columns:${tracks}">${head.join('')}${body.join('')}</div>`,
      argument,
      say: variant,
      texts: { row: names[target.row] ?? '', column: heads[target.column] ?? '' },
      turns: 1,
    };
  },
});
