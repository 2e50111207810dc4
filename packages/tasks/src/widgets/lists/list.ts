import { LabelMisfit } from '../drawing/labels.js';
import type { ListArgument } from './list.page.js';
import { widgetFamily } from '../widgetFamily.js';

export const list = widgetFamily({
  name: 'list',
  description: 'Scroll a list to an item and click it.',
  templates: {
    press: [
      'find {item} in the list and press it',
      'scroll to {item} and click it',
      'scroll the list and choose {item}',
      'select {item} in the list',
    ],
  },
  layouts: { rows: ['plain', 'striped', 'ruled', 'cards'], mark: ['none', 'face', 'box'], bar: ['thick', 'thin'] },
  room: { width: [130, 320], height: [96, 260] },
  styles: `
.list{position:absolute;inset:0;border:1px solid var(--line);overflow:hidden}
.list .rows{position:absolute;left:0;top:0;right:10px}
.list .item{height:var(--high);padding:0 6px;display:flex;align-items:center;white-space:pre;overflow:hidden}
.list .item:hover{background:var(--tint)}
.list.striped .item:nth-child(even){background:var(--soft)}
.list.ruled .item{border-bottom:1px solid var(--line)}
.list.cards .item{border:1px solid var(--line);border-width:2px 1px;border-radius:var(--radius);background:var(--soft)}
.list .item i{flex:none;width:11px;height:11px;margin-right:6px;background:var(--muted);border-radius:50%}
.list.box .item i{border-radius:2px;background:none;border:1px solid var(--muted)}
.list .item.pressed{background:var(--tint)}
.list .groove{position:absolute;right:0;top:0;bottom:0;width:9px;background:var(--soft)}
.list.thin .groove{width:5px}
.list .grip{position:absolute;left:1px;right:1px;background:var(--muted);border-radius:4px}`,
  page: 'widgets/lists/list',
  draw({ random, area, row, labels, layout, size }) {
    const high = row + random.between(0, 4);
    const inside = area.height - 2;
    const visible = Math.floor(inside / high);
    if (visible < 3) throw new LabelMisfit('a list that shows less than 3 items');
    const stride = Math.min(Math.round(size.height / 2), inside - high);
    const screens = 1.4 + 2.2 * random.next();
    const count = Math.min(40, Math.max(visible + 2, Math.round(visible * screens)));
    const mark = layout.mark === 'none' ? '' : '<i></i>';
    const items = labels.several(count, area.width - 30 - (mark ? 17 : 0));
    const max = count * high - inside;
    const start = random.chance(0.7) ? 0 : random.between(0, max);
    const target = random.between(0, count - 1);
    const above = target * high;
    const turns = Math.max(0, Math.ceil((above + high - inside - start) / stride), Math.ceil((start - above) / stride));
    const rows = items.map((label, index) => `<div class="item" data-name="item-${index}">${mark}${label}</div>`);
    const argument: ListArgument = { target, high, count, stride, start };
    return {
      html:
        `<div class="list ${layout.rows} ${layout.mark} ${layout.bar}" data-name="list" style="--high:${high}px">` +
        `<div class="rows" data-name="rows">${rows.join('')}</div><div class="groove"><div class="grip" data-name="grip"></div></div></div>`,
      argument,
      say: 'press',
      texts: { item: items[target] ?? '' },
      turns: turns + 1,
    };
  },
});
