import type { App } from '../appFamily.js';
import type { AppWords } from '../data/appWords.js';
import type { Pen } from '../data/pen.js';
import { type TableApp, type TableStore } from './tableStore.js';
import { tableTemplates } from './tableTemplates.js';
import { tableWords } from './tableWords.js';

function drawStore(pen: Pen, words: AppWords<TableApp['word']>): TableStore {
  const { random } = pen;
  const groups = Array.from({ length: 3 }, () => pen.newWord('group'));
  const cells: Record<string, string> = {
    ...{ A1: words.name, B1: words.group, C1: words.pieces, D1: words.price, E1: words.total },
  };
  const count = random.between(8, 11);
  const pieces = random.shuffle(Array.from({ length: 90 }, (_, index) => index + 3));
  const prices = new Set<number>();
  while (prices.size < count) prices.add(pen.price());
  for (let index = 0; index < count; index++) {
    const row = index + 2;
    cells[`A${row}`] = pen.person();
    cells[`B${row}`] = random.pick(groups);
    cells[`C${row}`] = String(pieces[index]);
    cells[`D${row}`] = String(([...prices][index] ?? 0) / 100);
  }
  return { cells, bold: {}, filled: {}, formats: {}, filter: { column: '', value: '' } };
}

export const tableApp: App<TableApp> = {
  name: 'table',
  words: tableWords,
  layouts: {
    grid: ['lines', 'stripes', 'bare'],
    heads: ['soft', 'accent'],
    tall: ['low', 'high'],
    frame: ['card', 'flush'],
  },
  styles: `
.table .pane{margin:8px}
.table.frame-flush .pane{margin:0;border-radius:0;box-shadow:none}
.table .tools .btn{padding:0 9px}
.table .tools .btn.icon{padding:0}
.table .formula{flex:none;height:28px;padding:0 10px;border-bottom:1px solid var(--line);background:var(--soft)}
.table .formula .place{width:44px}
.table .formula .raw{flex:1;padding-left:10px;border-left:1px solid var(--line)}
.table .status{flex:none;height:24px;padding:0 12px;gap:18px;border-top:1px solid var(--line)}
.table table{border-collapse:collapse;table-layout:fixed;width:100%}
.table th{height:24px;padding:0 5px;font-weight:400;background:var(--soft);border:1px solid var(--line);color:var(--muted);cursor:pointer}
.table.heads-accent thead th{background:color-mix(in srgb,var(--accent) 18%,var(--card));color:var(--text)}
.table th.on{background:var(--tint);color:var(--text)}
.table th .across{gap:0;width:100%}
.table th .btn{width:20px;height:18px;color:inherit;font-weight:400}
.table th .list{text-align:left;white-space:nowrap}
.table th.rowhead{width:48px;padding:0 2px 0 6px}
.table td{position:relative;height:24px;padding:0 7px;border:1px solid var(--line);overflow:hidden}
.table.tall-high td{height:28px}
.table.grid-bare td{border-color:transparent transparent var(--line)}
.table.grid-stripes tbody tr:nth-child(even) td{background:var(--soft)}
.table .names td{font-weight:700;background:color-mix(in srgb,var(--line) 40%,var(--card))}
.table td .cut{display:block}
.table tbody td.within{background:color-mix(in srgb,var(--tint) 80%,transparent)!important}
.table tbody td.filled{background:#f2d35488}
.table td.selected{outline:2px solid var(--accent);outline-offset:-2px}
.table td .hid{visibility:hidden}
.table td input{position:absolute;inset:0;width:100%;border:0;outline:0;padding:0 7px;font:inherit;background:var(--card);color:var(--text)}
.table td input.idle{opacity:0;cursor:default}
.table th .list .item{min-height:25px}
`,
  draw: drawStore,
  templates: tableTemplates,
};
