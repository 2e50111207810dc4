import { LabelMisfit } from '../drawing/labels.js';
import type { PaginationArgument } from './pagination.page.js';
import { widgetFamily } from '../widgetFamily.js';

export const pagination = widgetFamily({
  name: 'pagination',
  description: 'Go to a page of a list and click an item on it.',
  templates: {
    go: [
      'go to page {page} and choose {item}',
      'open page {page} and press {item}',
      'click {item} on page {page}',
      'choose {item} on the page {page}',
    ],
    find: ['go through the pages until {item} shows and press it', 'find {item} on one of the pages and click it'],
  },
  layouts: {
    pager: ['numbers', 'arrows', 'both'],
    at: ['bottom', 'bottom', 'top'],
    align: ['left', 'centre', 'right'],
    items: ['list', 'lines', 'tiles'],
  },
  room: { width: [140, 360], height: [104, 260] },
  styles: `
.pagination.top{flex-direction:column-reverse}
.pagination .page{flex:1;min-height:0;display:flex;flex-wrap:wrap;gap:var(--gap);align-content:flex-start}
.pagination .page.list,.pagination .page.lines{flex-direction:column;flex-wrap:nowrap;gap:0}
.pagination .item{flex:none;width:100%;height:var(--row);padding:0 5px;display:flex;align-items:center;white-space:pre;overflow:hidden}
.pagination .item:hover{background:var(--tint)}
.pagination .lines .item{border-bottom:1px solid var(--line)}
.pagination .tiles .item{width:calc(50% - var(--gap)/2);background:var(--soft);border:1px solid var(--line);border-radius:var(--radius)}
.pagination .item.pressed{background:var(--tint)}
.pagination .pager{flex:none;display:flex;gap:3px;align-items:center;justify-content:flex-start}
.pagination .pager.centre{justify-content:center}
.pagination .pager.right{justify-content:flex-end}
.pagination .step{flex:none;width:var(--step);height:var(--row);display:flex;align-items:center;justify-content:center;border:1px solid var(--line);border-radius:calc(var(--radius)*.6)}
.pagination .step:hover{background:var(--soft)}
.pagination .step.lit{background:var(--accent);color:var(--on-accent)}
.pagination .arrow::before{content:'';width:6px;height:6px;margin-left:3px;border:solid currentColor;border-width:0 0 2px 2px;transform:rotate(45deg)}
.pagination .arrow.next::before{margin:0 3px 0 0;transform:rotate(225deg)}
.pagination .arrow.idle{opacity:.35}
.pagination .where{padding:0 4px;white-space:pre}`,
  page: 'widgets/panels/pagination',
  draw({ random, area, row, gap, skin, labels, layout }) {
    const { font } = skin;
    const variant = random.pick(['go', 'go', 'go', 'find'] as const);
    const arrows = layout.pager !== 'numbers';
    const numbers = layout.pager !== 'arrows';
    const step = Math.max(row - 2, font.size + 4);
    const max = numbers ? Math.min(8, Math.floor((area.width + 3) / (step + 3)) - (arrows ? 2 : 0)) : 6;
    const minPages = 3;
    const atMost = variant === 'find' ? Math.min(5, max) : max;
    if (atMost < minPages) throw new LabelMisfit('less than 3 pages');
    const count = random.between(minPages, atMost);
    const tiles = layout.items === 'tiles';
    const height = area.height - row - gap;
    const rows = tiles ? 2 * Math.floor((height + gap) / (row + gap)) : Math.floor(height / row);
    if (rows < 2) throw new LabelMisfit('less than 2 items on a page');
    const room = (tiles ? (area.width - gap) / 2 : area.width) - 14;
    const pages = Array.from({ length: count }, () => labels.several(random.between(2, Math.min(6, rows)), room));
    const page = random.between(variant === 'find' ? 1 : 0, count - 1);
    const start = variant === 'find' ? 0 : (page + random.between(1, count - 1)) % count;
    const goalItems = pages[page] ?? [];
    const item = random.between(0, goalItems.length - 1);
    // The same item on another page, so that the page has to be right.
    const decoys = variant === 'go' && random.chance(0.4) ? pages[(page + random.between(1, count - 1)) % count] : [];
    if (decoys?.length) decoys[random.between(0, decoys.length - 1)] = goalItems[item] ?? '';

    const sheets = pages.map((items, index) => {
      const html = items.map((label, number) => `<div class="item" data-name="item-${index}-${number}">${label}</div>`);
      return `<div class="page ${layout.items}" data-name="sheet-${index}" hidden>${html.join('')}</div>`;
    });
    const middle = numbers
      ? pages.map((_, index) => `<div class="step" data-name="page-${index}">${index + 1}</div>`).join('')
      : '<span class="where" data-name="where"></span>';
    const arrow = (name: string) => (arrows ? `<div class="step arrow ${name}" data-name="${name}"></div>` : '');
    const argument: PaginationArgument = {
      count,
      start,
      target: { page, item },
      arrows,
      numbers,
      find: variant === 'find',
    };
    // Where the page is unknown, the budget must not reveal it.
    const turns = variant === 'find' ? count - 1 : numbers ? 1 : Math.abs(page - start);
    return {
      html:
        `<div class="down pagination ${layout.at}" style="--step:${step}px"><div class="grow" style="display:flex">${sheets.join('')}</div>` +
        `<div class="pager ${layout.align}">${arrow('before')}${middle}${arrow('next')}</div></div>`,
      argument,
      say: variant,
      texts: { page: String(page + 1), item: goalItems[item] ?? '' },
      turns: turns + 1,
    };
  },
});
