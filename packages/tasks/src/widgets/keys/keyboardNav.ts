import type { KeyboardNavArgument } from './keyboardNav.page.js';
import { LabelMisfit } from '../drawing/labels.js';
import { widgetFamily } from '../widgetFamily.js';

export const keyboardNav = widgetFamily({
  name: 'keyboardNav',
  description: 'Move the focus to an element with the keyboard and press Enter.',
  templates: {
    tab: [
      'move the focus to {item} with the tab key and press enter',
      'press tab until {item} has the focus, then press enter',
      'go to {item} with tab and press enter',
    ],
    arrows: [
      'move the focus to {item} with the arrow keys and press enter',
      'use the arrow keys to go to {item}, then press enter',
      'go to {item} with the arrow keys and press enter',
    ],
  },
  layouts: {
    keys: ['tab', 'arrows'],
    place: ['column', 'row', 'grid', 'grid'],
    look: ['framed', 'filled', 'plain'],
    focus: ['ring', 'ground', 'bar'],
  },
  room: { width: [140, 380], height: [104, 240] },
  styles: `
.keyboardNav{position:absolute;inset:0;display:grid;gap:var(--gap);align-content:var(--place)}
.keyboardNav .item{height:var(--high);padding:0 6px;display:flex;align-items:center;justify-content:center;white-space:pre;overflow:hidden;border-radius:var(--radius)}
.keyboardNav.framed .item{border:1px solid var(--line)}
.keyboardNav.filled .item{background:var(--soft)}
.keyboardNav.ring .item.on{box-shadow:inset 0 0 0 2px var(--accent)}
.keyboardNav.ground .item.on{background:var(--accent);color:var(--on-accent)}
.keyboardNav.bar .item.on{background:var(--tint);box-shadow:inset 4px 0 0 var(--accent)}
.keyboardNav .item.pressed{background:var(--tint);color:var(--text)}`,
  page: 'widgets/keys/keyboardNav',
  draw({ random, area, row, gap, labels, layout }) {
    const { place } = layout;
    const keys = layout.keys === 'tab' ? 'tab' : 'arrows';
    const high = row + random.between(0, area.height < 150 ? 4 : 16);
    const down = Math.floor((area.height + gap) / (high + gap));
    const along = Math.floor((area.width + gap) / ((area.width < 200 ? 48 : 64) + gap));
    const columns = place === 'column' ? 1 : Math.min(along, place === 'row' ? 5 : random.between(2, 4));
    const rows = place === 'row' ? 1 : Math.min(down, place === 'column' ? 7 : random.between(2, 4));
    if (columns * rows < 3 || down < 1) throw new LabelMisfit('less than 3 things');
    const names = labels.several(columns * rows, (area.width - gap * (columns - 1)) / columns - 14);
    const start = random.between(0, names.length - 1);
    const steps = (item: number): number => {
      if (keys === 'tab') return (item - start + names.length) % names.length;
      const across = Math.abs((item % columns) - (start % columns));
      return across + Math.abs(Math.floor(item / columns) - Math.floor(start / columns));
    };
    const target = random.pick([...names.keys()].filter((item) => steps(item) > 0 && steps(item) <= 5));

    const items = names.map((name, index) => `<div class="item" data-name="item-${index}">${name}</div>`);
    const align = random.pick(['start', 'center', 'space-evenly']);
    const argument: KeyboardNavArgument = { count: names.length, columns, start, target, keys };
    return {
      html:
        `<div class="keyboardNav ${layout.look} ${layout.focus}" ` +
        `style="--high:${high}px;--place:${align};grid-template-columns:repeat(${columns},minmax(0,1fr))">${items.join('')}</div>`,
      argument,
      say: keys,
      texts: { item: names[target] ?? '' },
      turns: steps(target) + 1,
    };
  },
});
