import type { ContextMenuArgument } from './contextMenu.page.js';
import { widthOf } from '../drawing/font.js';
import { LabelMisfit } from '../drawing/labels.js';
import { widgetFamily } from '../widgetFamily.js';

export const contextMenu = widgetFamily({
  name: 'contextMenu',
  description: 'Right-click an element and choose an item of its context menu.',
  templates: {
    choose: [
      'right click {row} and choose {item}',
      'right click on {row}, then press {item}',
      'open the context menu of {row} and choose {item}',
      'choose {item} in the context menu of {row}',
    ],
  },
  layouts: { rows: ['plain', 'striped', 'framed', 'tiles'], icon: ['none', 'square', 'circle'] },
  room: { width: [140, 300], height: [108, 260] },
  styles: `
.contextMenu .rows{display:flex;flex-direction:column}
.contextMenu .thing{height:var(--high);padding:0 6px;display:flex;align-items:center;white-space:pre;overflow:hidden}
.contextMenu .thing:hover{background:var(--soft)}
.contextMenu .thing i{flex:none;width:10px;height:10px;margin-right:6px;background:var(--accent);border-radius:2px}
.contextMenu.circle .thing i{border-radius:50%}
.contextMenu.striped .thing:nth-child(even){background:var(--soft)}
.contextMenu.framed .rows,.contextMenu.tiles .rows{gap:3px}
.contextMenu.framed .thing,.contextMenu.tiles .thing{border:1px solid var(--line);border-radius:var(--radius)}
.contextMenu.tiles .rows{flex-direction:row;flex-wrap:wrap}
.contextMenu.tiles .thing{width:calc(50% - 2px)}
.contextMenu .thing.lit{background:var(--tint)}`,
  page: 'widgets/menus/contextMenu',
  draw({ random, area, row, skin, labels, layout, size }) {
    const icon = layout.icon === 'none' ? 0 : 16;
    const columns = layout.rows === 'tiles' ? 2 : 1;
    const high = row + random.between(0, 6);
    const max = Math.min(8, columns * Math.floor(area.height / (high + 3)));
    if (max < 3) throw new LabelMisfit('less than 3 rows');
    const rows = labels.several(random.between(3, max), area.width / columns - 20 - icon);
    const items = labels.several(
      random.between(3, Math.min(6, Math.floor(size.height / row) - 3)),
      Math.min(130, size.width - 40),
    );
    const target = { row: random.between(0, rows.length - 1), item: random.between(0, items.length - 1) };
    const mark = icon ? '<i></i>' : '';
    const things = rows.map((label, index) => `<div class="thing" data-name="row-${index}">${mark}${label}</div>`);
    const width = Math.max(60, ...items.map((item) => widthOf(item, skin.font) + 18));
    const entries = items.map((item, index) => `<div class="entry" data-name="item-${index}">${item}</div>`);
    const argument: ContextMenuArgument = { target, rows: rows.length };
    return {
      html: `<div class="down contextMenu ${layout.rows} ${layout.icon}" style="--high:${high}px"><div class="rows">${things.join('')}</div></div>`,
      overlay: `<div class="pop" data-name="pop" hidden style="width:${width}px">${entries.join('')}</div>`,
      argument,
      say: 'choose',
      texts: { row: rows[target.row] ?? '', item: items[target.item] ?? '' },
      turns: 2,
    };
  },
});
