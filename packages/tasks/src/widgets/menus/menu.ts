import { widthOf } from '../drawing/font.js';
import { LabelMisfit } from '../drawing/labels.js';
import type { MenuArgument } from './menu.page.js';
import { widgetFamily } from '../widgetFamily.js';

export const menu = widgetFamily({
  name: 'menu',
  description: 'Open a menu in a menu bar and choose an item.',
  templates: {
    choose: [
      'choose {item} in the menu {menu}',
      'open the menu {menu} and choose {item}',
      'in the menu {menu} press {item}',
      'select {item} from the {menu} menu',
      'click {item} in the {menu} menu',
    ],
  },
  layouts: { titles: ['plain', 'boxed', 'ruled'], entries: ['bare', 'icons', 'lines'] },
  room: { width: [150, 420], height: [112, 240] },
  styles: `
.menu .titles{display:flex;overflow:hidden}
.menu .titles>div{padding:0 var(--pad);height:var(--row);display:flex;align-items:center;white-space:pre}
.menu.plain .titles{background:var(--soft)}
.menu.boxed .titles>div{border:1px solid var(--line);background:var(--soft)}
.menu.ruled .titles{border-bottom:1px solid var(--muted)}
.menu.menu .titles>div.open{background:var(--accent);color:var(--on-accent)}
.menu .pop i{flex:none;width:8px;height:8px;margin-right:6px;border-radius:2px;background:var(--muted)}
.menu.lines .entry{border-bottom:1px solid var(--line);border-radius:0}
.menu .text{padding:var(--gap);color:var(--muted);overflow:hidden}`,
  page: 'widgets/menus/menu',
  draw({ random, area, row, skin, labels, layout }) {
    const pad = area.width < 180 ? 5 : random.between(6, 12);
    const icon = layout.entries === 'icons' ? 14 : 0;
    const max = Math.floor((area.width - 8) / 3) - 2 * pad;
    const titles = labels.several(3, max);
    const leftOf = (index: number) =>
      titles.slice(0, index).reduce((sum, title) => sum + widthOf(title, skin.font) + 2 * pad + 2, 0);
    for (let more = random.between(0, 3); more > 0; more--) {
      const room = area.width - 8 - leftOf(titles.length) - 2 * pad;
      if (room < 50) break;
      titles.push(labels.next(room));
    }
    const rows = Math.min(7, Math.floor((area.height - row - 8) / row));
    if (rows < 3) throw new LabelMisfit('a menu of less than 3 items');
    const width = Math.min(area.width - 20, 170);
    const items = titles.map(() => labels.several(random.between(3, rows), width - 14 - icon));
    const target = { menu: random.between(0, titles.length - 1), item: 0 };
    const goalItems = items[target.menu] ?? [];
    target.item = random.between(0, goalItems.length - 1);
    // The same item in two menus, so that the menu has to be read.
    const decoys = items[(target.menu + 1) % items.length] ?? [];
    if (random.chance(0.3)) decoys[random.between(0, decoys.length - 1)] = goalItems[target.item] ?? '';
    const open = random.chance(0.25) ? random.between(0, titles.length - 1) : undefined;

    const bar = titles.map((title, index) => `<div data-name="menu-${index}">${title}</div>`).join('');
    const pops = items.map((list, index) => {
      const natural = Math.max(60, ...list.map((item) => widthOf(item, skin.font) + 18 + icon));
      const x = Math.max(0, Math.min(leftOf(index), area.width - natural));
      const entries = list.map(
        (item, number) =>
          `<div class="entry" data-name="item-${index}-${number}">${icon ? '<i></i>' : ''}${item}</div>`,
      );
      return `<div class="pop" data-name="pop-${index}" hidden style="left:${x}px;top:${row + 1}px;width:${natural}px">${entries.join('')}</div>`;
    });
    const text = Array.from({ length: random.between(3, 14) }, () => labels.filler()).join(' ');
    const html =
      `<div class="down menu ${layout.titles} ${layout.entries}" style="--pad:${pad}px"><div class="titles">${bar}</div>` +
      `<div class="text grow">${text}</div>${pops.join('')}</div>`;
    const argument: MenuArgument = {
      target,
      sizes: items.map(({ length }) => length),
      ...(open !== undefined && { open }),
    };
    return {
      html,
      argument,
      say: 'choose',
      texts: { item: goalItems[target.item] ?? '', menu: titles[target.menu] ?? '' },
      turns: 2,
    };
  },
});
