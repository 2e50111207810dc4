import { LabelMisfit } from '../drawing/labels.js';
import type { MultiFieldArgument } from './multiField.page.js';
import { widgetFamily } from '../widgetFamily.js';

export const multiField = widgetFamily({
  name: 'multiField',
  description: 'Fill in two or three of several fields, then click a button.',
  templates: {
    two: [
      'fill in {name0} with {text0} and {name1} with {text1}, then press {button}',
      'type {text0} into {name0} and {text1} into {name1} and press {button}',
      'set {name0} to {text0} and {name1} to {text1}, then click {button}',
      'write {text0} in the field {name0} and {text1} in the field {name1}, then press {button}',
    ],
    three: [
      'fill in {name0} with {text0}, {name1} with {text1} and {name2} with {text2}, then press {button}',
      'type {text0} into {name0}, {text1} into {name1} and {text2} into {name2} and press {button}',
      'set {name0} to {text0}, {name1} to {text1} and {name2} to {text2}, then click {button}',
    ],
  },
  layouts: { name: ['above', 'beside', 'aligned'], edge: ['box', 'line', 'soft'], buttons: ['left', 'right', 'wide'] },
  room: { width: [140, 380], height: [104, 260] },
  styles: `
.multiField .set{flex:none}
.multiField.beside .set,.multiField.aligned .set{display:flex;align-items:center;gap:6px}
.multiField .name{white-space:pre;color:var(--muted)}
.multiField.beside .name,.multiField.aligned .name{flex:none;width:45%}
.multiField.aligned .name{text-align:right}
.multiField.line .field{border-width:0 0 2px;border-radius:0}
.multiField.soft .field{background:var(--soft);border-color:var(--line)}
.multiField .across.right{justify-content:flex-end}
.multiField .across.wide .btn{flex:1}`,
  page: 'widgets/text/multiField',
  draw({ random, area, row, gap, skin, labels, layout }) {
    const above = layout.name === 'above';
    const each = gap + (above ? row + Math.ceil(skin.font.size * 1.15) : row);
    const max = Math.min(5, Math.floor((area.height - row) / each));
    if (max < 2) throw new LabelMisfit('less than 2 fields');
    const count = random.between(2, max);
    const names = labels.several(count, above ? area.width : area.width * 0.45);
    const changes = Math.min(count, random.chance(0.35) ? 3 : 2);
    const goals = random
      .shuffle([...names.keys()])
      .slice(0, changes)
      .sort((a, b) => a - b);
    const texts = names.map((_, index) => (random.chance(goals.includes(index) ? 0.2 : 0.35) ? labels.text() : ''));
    const [first = 0] = goals;
    // The first of three fields is focused, to limit the turns.
    if (changes === 3) texts[first] = '';
    const target = texts.map((text, index) => (goals.includes(index) ? labels.text() : text));
    const focused = !texts[first] && (changes === 3 || random.chance(0.3)) ? first : undefined;
    const buttons = labels.several(2, (area.width - gap) / 2 - 16);
    const button = random.between(0, 1);

    const sets = names.map(
      (name, index) =>
        `<div class="set"><div class="name">${name}</div><div class="field" data-name="field-${index}"></div></div>`,
    );
    const press = buttons.map(
      (label, index) => `<div class="btn ${skin.button}" data-name="button-${index}">${label}</div>`,
    );
    const argument: MultiFieldArgument = { texts, target, goals, button, ...(focused !== undefined && { focused }) };
    return {
      html:
        `<div class="down multiField ${layout.name} ${layout.edge}">${sets.join('')}` +
        `<div class="across push ${layout.buttons}">${press.join('')}</div></div>`,
      argument,
      say: changes === 2 ? 'two' : 'three',
      texts: {
        button: buttons[button] ?? '',
        ...Object.fromEntries(goals.map((field, index) => [`name${index}`, names[field] ?? ''])),
        ...Object.fromEntries(goals.map((field, index) => [`text${index}`, target[field] ?? ''])),
      },
      turns: 2 * changes + (focused === undefined ? 1 : 0),
    };
  },
});
