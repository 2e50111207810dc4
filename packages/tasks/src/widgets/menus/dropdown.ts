import type { DropdownArgument } from './dropdown.page.js';
import { LabelMisfit } from '../drawing/labels.js';
import { widgetFamily } from '../widgetFamily.js';

export const dropdown = widgetFamily({
  name: 'dropdown',
  description: 'Choose an option of a dropdown, then click a button.',
  templates: {
    choose: [
      'set {field} to {option} and press {button}',
      'choose {option} for {field}, then press {button}',
      'select {option} in the list {field} and click {button}',
      'change {field} to {option}, then press {button}',
    ],
  },
  layouts: { name: ['above', 'beside'], arrow: ['tip', 'plus', 'boxed'], edge: ['box', 'line'] },
  room: { width: [140, 320], height: [108, 240] },
  styles: `
.dropdown .set{flex:none}
.dropdown.beside .set{display:flex;align-items:center;gap:6px}
.dropdown .name{white-space:pre;font-size:92%;color:var(--muted)}
.dropdown.beside .name{flex:none;width:45%}
.dropdown .pick{flex:1;height:var(--row);padding:0 5px;display:flex;align-items:center;justify-content:space-between;border:1px solid var(--muted);border-radius:calc(var(--radius)*.6);background:var(--card);white-space:pre;overflow:hidden}
.dropdown.line .pick{border-width:0 0 2px;background:var(--soft);border-radius:0}
.dropdown .pick:hover{background:var(--soft)}
.dropdown .pick.open{border-color:var(--accent)}
.dropdown .pick i{flex:none;width:7px;height:7px;margin:-3px 2px 0 4px;border:solid var(--text);border-width:0 2px 2px 0;transform:rotate(45deg)}
.dropdown.plus .pick i{width:8px;height:8px;margin:0 2px 0 4px;transform:none;border:0;background:linear-gradient(var(--text) 0 0) center/8px 2px no-repeat,linear-gradient(var(--text) 0 0) center/2px 8px no-repeat}
.dropdown.boxed .pick i{width:12px;height:12px;margin:0 0 0 4px;border:0;transform:none;background:var(--accent);border-radius:3px}
.dropdown .pop .entry.lit{font-weight:700}`,
  page: 'widgets/menus/dropdown',
  draw({ random, area, row, gap, skin, labels, layout }) {
    const beside = layout.name === 'beside';
    const each = beside ? row : row + Math.ceil(skin.font.size * 1.1);
    const count = area.height > 2 * each + row + 3 * gap ? 2 : 1;
    const nameRoom = beside ? area.width * 0.45 : area.width;
    const pickRoom = (beside ? area.width * 0.55 - 6 : area.width) - 34;
    const names = labels.several(count, nameRoom);
    const max = Math.min(6, Math.floor((area.height - each - 6) / row));
    if (max < 3) throw new LabelMisfit('less than 3 options');
    const options = names.map(() => labels.several(random.between(3, max), pickRoom / 1.1));
    const values = options.map((list) => random.between(-1, list.length - 1));
    const field = random.between(0, count - 1);
    const choices = options[field] ?? [];
    let option = values[field] ?? 0;
    while (option === values[field]) option = random.between(0, choices.length - 1);
    const buttons = labels.several(2, (area.width - gap) / 2 - 16);
    const button = random.between(0, 1);

    const sets = names.map(
      (name, index) =>
        `<div class="set"><div class="name">${name}</div><div class="pick" data-name="pick-${index}">` +
        `<span data-name="value-${index}"></span><i></i></div></div>`,
    );
    const popX = beside ? Math.round(area.width * 0.45) + 6 : 0;
    const pops = options.map((list, index) => {
      const entries = list.map(
        (label, number) => `<div class="entry" data-name="option-${index}-${number}">${label}</div>`,
      );
      const under = index * (each + gap) + each;
      const top = Math.min(under, area.height - list.length * row - 8);
      return `<div class="pop" data-name="pop-${index}" hidden style="left:${popX}px;right:0;top:${top}px">${entries.join('')}</div>`;
    });
    const press = buttons.map(
      (label, index) => `<div class="btn ${skin.button}" data-name="button-${index}">${label}</div>`,
    );
    const argument: DropdownArgument = { values, target: { field, option }, button };
    return {
      html:
        `<div class="down dropdown ${layout.name} ${layout.arrow} ${layout.edge}">${sets.join('')}` +
        `<div class="across push">${press.join('')}</div>${pops.join('')}</div>`,
      argument,
      say: 'choose',
      texts: { field: names[field] ?? '', option: choices[option] ?? '', button: buttons[button] ?? '' },
      turns: 3,
    };
  },
});
