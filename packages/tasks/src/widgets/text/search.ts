import { LabelMisfit } from '../drawing/labels.js';
import type { SearchArgument } from './search.page.js';
import { widgetFamily } from '../widgetFamily.js';

export const search = widgetFamily({
  name: 'search',
  description: 'Search for a text, then click one of the results.',
  templates: {
    search: [
      'search for {query} and click {result}',
      'search for {query}, then choose {result}',
      'type {query} into the search field, press enter and click {result}',
      'find {query} with the search and press {result}',
    ],
  },
  layouts: {
    glass: ['before', 'after', 'none'],
    go: ['none', 'button'],
    results: ['plain', 'lines', 'cards'],
    field: ['box', 'round', 'line'],
  },
  room: { width: [140, 400], height: [110, 260] },
  styles: `
.search .field{flex:1;padding:0 6px}
.search.round .field{border-radius:20px;padding:0 9px}
.search.line .field{border-width:0 0 2px;border-radius:0}
.search .glass{flex:none;position:relative;width:14px;height:14px}
.search .glass::before{content:'';position:absolute;left:1px;top:1px;width:8px;height:8px;border:2px solid currentColor;border-radius:50%}
.search .glass::after{content:'';position:absolute;left:8px;top:10px;width:6px;height:2px;background:currentColor;transform:rotate(45deg)}
.search.after .glass{order:1}
.search .go{width:calc(var(--row) + 4px);padding:0}
.search .go::before{content:'';width:6px;height:6px;border:solid currentColor;border-width:2px 2px 0 0;transform:rotate(45deg)}
.search .found{display:flex;flex-direction:column}
.search .item{flex:none;height:var(--row);padding:0 5px;display:flex;align-items:center;white-space:pre;overflow:hidden}
.search .item:hover{background:var(--tint)}
.search.lines .item{border-bottom:1px solid var(--line)}
.search.cards .item{background:var(--soft);border:solid var(--card);border-width:1px 0;border-radius:var(--radius)}
.search .item.pressed{background:var(--tint)}`,
  page: 'widgets/text/search',
  draw({ random, area, row, gap, skin, labels, layout }) {
    const rows = Math.min(7, Math.floor((area.height - row - gap) / row));
    if (rows < 3) throw new LabelMisfit('less than 3 results');
    const query = labels.text();
    const several = () => labels.several(random.between(3, rows), area.width - 16);
    const before = random.chance(0.5) ? several() : [];
    const right = several();
    const lists = [before, right, several()];
    const target = random.between(0, right.length - 1);
    const focused = random.chance(0.4);
    const go = layout.go === 'button';

    const results = lists.map((items, list) => {
      const html = items.map((label, index) => `<div class="item" data-name="item-${list}-${index}">${label}</div>`);
      return `<div class="found" data-name="found-${list}" hidden>${html.join('')}</div>`;
    });
    const glass = layout.glass === 'none' && go ? '' : '<i class="glass"></i>';
    const button = go ? `<div class="btn go ${skin.button}" data-name="go"></div>` : '';
    const argument: SearchArgument = { query, target, focused, go };
    return {
      html:
        `<div class="down search ${layout.glass} ${layout.results} ${layout.field}">` +
        `<div class="across">${glass}<div class="field" data-name="field"></div>${button}</div><div>${results.join('')}</div></div>`,
      argument,
      say: 'search',
      texts: { query, result: right[target] ?? '' },
      turns: focused ? 3 : 4,
    };
  },
});
