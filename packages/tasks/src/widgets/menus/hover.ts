import { widthOf } from '../drawing/font.js';
import type { HoverArgument } from './hover.page.js';
import { LabelMisfit } from '../drawing/labels.js';
import { type DrawContext, type Drawing, widgetFamily } from '../widgetFamily.js';

interface HoverLayout extends Record<string, unknown> {
  readonly kind: 'column' | 'bar' | 'icons';
  readonly look: 'plain' | 'boxed' | 'ruled';
  readonly tip: 'dark' | 'card';
}

export const hover = widgetFamily<HoverLayout>({
  name: 'hover',
  description: 'Hover over an element to show its menu or name, and click the requested one.',
  templates: {
    menu: [
      'move the mouse to {entry} and choose {item}',
      'point at {entry}, then click {item}',
      'hover over {entry} and press {item}',
      'choose {item} in the menu that {entry} shows',
    ],
    tip: [
      'press the icon that is called {name}',
      'point at the icons to read their names and click {name}',
      'hover over the icons, find {name} and press it',
    ],
  },
  layouts: { kind: ['column', 'bar', 'icons', 'icons'], look: ['plain', 'boxed', 'ruled'], tip: ['dark', 'card'] },
  room: { width: [144, 380], height: [108, 240] },
  styles: `
.hover .bar{display:flex}
.hover .column{width:45%}
.hover .thing{height:var(--row);padding:0 6px;display:flex;align-items:center;justify-content:space-between;white-space:pre}
.hover.boxed .thing{background:var(--soft);border:1px solid var(--line)}
.hover.ruled .thing{border-bottom:1px solid var(--line)}
.hover .column .thing::after{content:'';flex:none;width:5px;height:5px;margin-left:4px;border:solid currentColor;border-width:2px 2px 0 0;transform:rotate(45deg)}
.hover .thing.open{background:var(--accent);color:var(--on-accent)}
.hover .icons{display:grid;justify-content:start;gap:calc(var(--row) + 8px) var(--gap)}
.hover .icon{display:flex;align-items:center;justify-content:center;border-radius:var(--radius);color:var(--text)}
.hover.boxed .icon{border:1px solid var(--line)}
.hover.ruled .icon{background:var(--soft)}
.hover .icon.open{background:var(--tint)}
.hover .icon i{width:14px;height:14px}
.hover .icon .ring{border:3px solid currentColor;border-radius:50%}
.hover .icon .frame{border:3px solid currentColor}
.hover .icon .disc{background:currentColor;border-radius:50%}
.hover .icon .lines{border:solid currentColor;border-width:3px 0;background:linear-gradient(currentColor 0 0) center/100% 2px no-repeat}
.hover .icon .cross{background:linear-gradient(currentColor 0 0) center/100% 3px no-repeat,linear-gradient(currentColor 0 0) center/3px 100% no-repeat}
.hover .icon .roof{width:0;height:0;border:8px solid transparent;border-top-width:0;border-bottom:13px solid currentColor}
.hover .icon .drop{background:currentColor;border-radius:0 50% 50% 50%}
.hover .icon .half{border:2px solid currentColor;background:linear-gradient(90deg,currentColor 50%,transparent 50%)}
.hover.tip{position:absolute;z-index:9;padding:2px 5px;white-space:pre;border-radius:3px;pointer-events:none}
.hover.tip.dark{background:var(--text);color:var(--card)}
.hover.tip.card{background:var(--card);color:var(--text);border:1px solid var(--muted)}`,
  page: 'widgets/menus/hover',
  draw: (context) => (context.layout.kind === 'icons' ? drawIcons(context) : drawMenus(context, context.layout.kind)),
});

function drawMenus(context: DrawContext<HoverLayout>, kind: 'column' | 'bar'): Drawing {
  const { random, area, row, skin, labels, layout } = context;
  const bar = kind === 'bar';
  const rows = Math.floor((area.height - 8 - (bar ? row : 0)) / row);
  if (rows < 3) throw new LabelMisfit('a menu of less than 3 items');
  const count = bar ? 3 : random.between(3, Math.min(6, rows));
  const entries = labels.several(count, bar ? Math.floor(area.width / 3) - 14 : area.width * 0.45 - 26);
  const room = bar ? Math.min(area.width - 20, 170) : area.width * 0.55;
  const items = entries.map(() => labels.several(random.between(2, Math.min(6, rows)), room - 20));
  const target = { thing: random.between(0, count - 1), item: 0 };
  const goalItems = items[target.thing] ?? [];
  target.item = random.between(0, goalItems.length - 1);
  // The same item in two menus, so that the entry has to be read.
  const decoys = items[(target.thing + 1) % count] ?? [];
  if (random.chance(0.3)) decoys[random.between(0, decoys.length - 1)] = goalItems[target.item] ?? '';

  const widthAt = (index: number) => widthOf(entries[index] ?? '', skin.font) + 14;
  const leftOf = (index: number) =>
    [...entries.keys()].slice(0, index).reduce((sum, before) => sum + widthAt(before), 0);
  const things = entries.map(
    (entry, index) =>
      `<div class="thing" data-name="thing-${index}"${bar ? ` style="width:${widthAt(index)}px"` : ''}>${entry}</div>`,
  );
  const pops = items.map((list, index) => {
    const width = Math.max(50, ...list.map((item) => widthOf(item, skin.font) + 20));
    const height = list.length * row + 6;
    // The menu touches its entry, so that the mouse can move across.
    const x = bar ? Math.max(0, Math.min(leftOf(index), area.width - width)) : Math.round(area.width * 0.45) - 1;
    const y = bar ? row - 1 : Math.max(0, Math.min(index * row, area.height - height));
    const html = list.map((item, number) => `<div class="entry" data-name="item-${index}-${number}">${item}</div>`);
    return `<div class="pop" data-name="pop-${index}" hidden style="left:${x}px;top:${y}px;width:${width}px">${html.join('')}</div>`;
  });
  return {
    html: `<div class="down hover ${layout.look}"><div class="${kind}">${things.join('')}</div>${pops.join('')}</div>`,
    argument: { count, target } satisfies HoverArgument,
    say: 'menu',
    texts: { entry: entries[target.thing] ?? '', item: goalItems[target.item] ?? '' },
    turns: 2,
  };
}

const icons = ['ring', 'frame', 'disc', 'lines', 'cross', 'roof', 'drop', 'half'] as const;

function drawIcons(context: DrawContext<HoverLayout>): Drawing {
  const { random, area, row, gap, labels, layout, size } = context;
  const count = random.between(3, 5);
  const side = Math.min(random.between(22, 40), Math.floor((area.width + gap) / 3) - gap);
  const columns = Math.min(random.between(2, count), Math.floor((area.width + gap) / (side + gap)));
  // A name appears between the rows, so that it covers no icon.
  if (Math.ceil(count / columns) * (side + row + 8) > area.height) throw new LabelMisfit('no room for the icons');
  const names = labels.several(count, size.width - 20);
  const target = random.between(0, count - 1);
  const shapes = random.shuffle(icons).slice(0, count);
  const things = shapes.map(
    (shape, index) =>
      `<div class="icon" data-name="thing-${index}" style="width:${side}px;height:${side}px"><i class="${shape}"></i></div>`,
  );
  return {
    html: `<div class="down hover ${layout.look}"><div class="icons" style="grid-template-columns:repeat(${columns},${side}px)">${things.join('')}</div></div>`,
    overlay: `<div class="hover tip ${layout.tip}" data-name="tip" hidden></div>`,
    argument: { count, target: { thing: target }, names } satisfies HoverArgument,
    say: 'tip',
    texts: { name: names[target] ?? '' },
    // Enough to hover over every icon: the budget must not reveal the place.
    turns: count + 1,
  };
}
