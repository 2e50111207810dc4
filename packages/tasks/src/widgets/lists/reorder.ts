import { LabelMisfit } from '../drawing/labels.js';
import type { ReorderArgument } from './reorder.page.js';
import { widgetFamily } from '../widgetFamily.js';

export const reorder = widgetFamily({
  name: 'reorder',
  description: 'Move a list item with its arrows or by dragging, then click a button.',
  templates: {
    top: ['move {item} to the top and press {button}', 'make {item} the first in the list and click {button}'],
    bottom: ['move {item} to the bottom and press {button}', 'make {item} the last in the list and click {button}'],
    above: [
      'move {item} right above {other} and press {button}',
      'place {item} right above {other}, then press {button}',
    ],
    below: [
      'move {item} right below {other} and press {button}',
      'place {item} right below {other}, then press {button}',
    ],
    up: ['move {item} up by one place and press {button}'],
    down: ['move {item} down by one place and press {button}'],
  },
  layouts: { way: ['arrows', 'drag'], rows: ['framed', 'ruled', 'filled'], mark: ['none', 'face', 'number'] },
  room: { width: [140, 320], height: [108, 250] },
  styles: `
.reorder .rows{position:relative;flex:none}
.reorder .item{position:absolute;left:0;right:0;height:var(--high);padding:0 4px;display:flex;align-items:center;gap:5px;white-space:pre;overflow:hidden}
.reorder.framed .item{border:1px solid var(--line);border-radius:var(--radius)}
.reorder.ruled .item{border-bottom:1px solid var(--line)}
.reorder.filled .item{background:var(--soft);border:solid var(--card);border-width:1px 0}
.reorder .item.held{background:var(--tint)}
.reorder .item>span{flex:1;min-width:0}
.reorder .grip{flex:none;width:9px;height:9px;border:solid var(--muted);border-width:2px 0;background:linear-gradient(var(--muted) 0 0) center/100% 1px no-repeat}
.reorder .face{flex:none;width:11px;height:11px;border-radius:50%;background:var(--accent)}
.reorder .arrow{flex:none;position:relative;width:calc(var(--high) - 3px);height:calc(var(--high) - 4px);border:1px solid var(--muted);border-radius:calc(var(--radius)*.5)}
.reorder .arrow:hover{background:var(--tint)}
.reorder .arrow::before{content:'';position:absolute;left:50%;top:50%;width:6px;height:6px;margin:-5px 0 0 -4px;border:solid var(--text);border-width:0 2px 2px 0;transform:rotate(45deg)}
.reorder .arrow.up::before{margin-top:-2px;transform:rotate(225deg)}`,
  page: 'widgets/lists/reorder',
  draw({ random, area, row, gap, skin, labels, layout }) {
    const high = row + random.between(0, 4);
    const max = Math.min(7, Math.floor((area.height - row - gap) / high));
    if (max < 3) throw new LabelMisfit('less than 3 items');
    const count = random.between(3, max);
    const arrows = layout.way === 'arrows';
    const room = area.width - 30 - (arrows ? 2 * high : 15);
    const names = labels.several(count, room);
    // With arrows, a press moves by one position only.
    const from = random.between(0, count - 1);
    const far = arrows ? 4 : count;
    const places = [...names.keys()].filter((place) => place !== from && Math.abs(place - from) <= far);
    const to = random.pick(places);
    const order = [...names.keys()];
    order.splice(to, 0, ...order.splice(from, 1));
    const says = [
      ...(to === 0 ? ['top', 'top'] : ['below']),
      ...(to === count - 1 ? ['bottom', 'bottom'] : ['above']),
      ...(to === from - 1 ? ['up'] : []),
      ...(to === from + 1 ? ['down'] : []),
    ];
    const say = random.pick(says);
    const neighbour = order[say === 'above' ? to + 1 : to - 1] ?? 0;
    const buttons = labels.several(2, (area.width - gap) / 2 - 16);
    const button = random.between(0, 1);

    const items = names.map((name, index) => {
      const face = layout.mark === 'face' ? '<i class="face"></i>' : '';
      const place = layout.mark === 'number' ? `<b data-name="place-${index}"></b>` : '';
      const ends = arrows
        ? `<div class="arrow up" data-name="up-${index}"></div><div class="arrow" data-name="down-${index}"></div>`
        : '<i class="grip"></i>';
      return `<div class="item" data-name="item-${index}">${face}${place}<span>${name}</span>${ends}</div>`;
    });
    const press = buttons.map(
      (label, index) => `<div class="btn ${skin.button}" data-name="button-${index}">${label}</div>`,
    );
    const argument: ReorderArgument = { high, order, moved: from, arrows, numbered: layout.mark === 'number', button };
    return {
      html:
        `<div class="down reorder ${layout.rows}" style="--high:${high}px"><div class="rows" data-name="rows" style="height:${count * high}px">${items.join('')}</div>` +
        `<div class="across push">${press.join('')}</div></div>`,
      argument,
      say,
      texts: { item: names[from] ?? '', other: names[neighbour] ?? '', button: buttons[button] ?? '' },
      turns: 1 + (arrows ? Math.abs(to - from) : 1),
    };
  },
});
