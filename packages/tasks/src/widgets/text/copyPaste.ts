import type { CopyPasteArgument } from './copyPaste.page.js';
import { widthOf } from '../drawing/font.js';
import { LabelMisfit } from '../drawing/labels.js';
import { widgetFamily } from '../widgetFamily.js';

export const copyPaste = widgetFamily({
  name: 'copyPaste',
  description: 'Copy the text of one field into another with the keyboard, then click a button.',
  templates: {
    copy: [
      'copy the text of {from} into {to} and press {button}',
      'copy {from} to {to}, then press {button}',
      'copy what is in {from} and paste it into {to}, then click {button}',
    ],
  },
  layouts: { name: ['above', 'beside'], field: ['box', 'line'], order: ['down', 'up'] },
  room: { width: [140, 340], height: [110, 220] },
  styles: `
.copyPaste .set{flex:none}
.copyPaste.beside .set{display:flex;align-items:center;gap:6px}
.copyPaste .name{white-space:pre;color:var(--muted)}
.copyPaste.beside .name{flex:none;width:44%}
.copyPaste.above .set .field{width:100%}
.copyPaste.lined .field{border-width:0 0 2px;border-radius:0;background:var(--soft)}`,
  page: 'widgets/text/copyPaste',
  draw({ random, area, row, gap, skin, labels, layout }) {
    const { font } = skin;
    const beside = layout.name === 'beside';
    const each = (beside ? row : row + Math.ceil(font.size * 1.15)) + gap;
    const count = Math.min(random.between(2, 4), Math.floor((area.height - row) / each));
    if (count < 2) throw new LabelMisfit('less than 2 fields');
    const names = labels.several(count, beside ? area.width * 0.44 : area.width);
    const fieldRoom = (beside ? area.width * 0.56 - 6 : area.width) - 14;
    const [from = 0, to = 1] = random.shuffle(names.map((_, index) => index));
    const texts = names.map((_, index) => {
      if (index === to ? random.chance(0.75) : index !== from && random.chance(0.4)) return '';
      const text = random.chance(0.5) ? `${labels.text()}${labels.text()}` : labels.text();
      if (widthOf(text, font) > fieldRoom) throw new LabelMisfit('a long text');
      return text;
    });
    const buttons = labels.several(2, (area.width - gap) / 2 - 16);
    const button = random.between(0, 1);
    const sets = names.map(
      (name, index) =>
        `<div class="set"><div class="name">${name}</div><div class="field" data-name="field-${index}"></div></div>`,
    );
    const press = buttons.map(
      (label, number) => `<div class="btn ${skin.button}" data-name="button-${number}">${label}</div>`,
    );
    const bar = `<div class="across${layout.order === 'down' ? ' push' : ''}">${press.join('')}</div>`;
    const parts = layout.order === 'down' ? [...sets, bar] : [bar, ...sets];
    const argument: CopyPasteArgument = { texts, from, to, button };
    return {
      html: `<div class="down copyPaste ${layout.name}${layout.field === 'line' ? ' lined' : ''}">${parts.join('')}</div>`,
      argument,
      say: 'copy',
      texts: { from: names[from] ?? '', to: names[to] ?? '', button: buttons[button] ?? '' },
      turns: texts[to] === '' ? 5 : 6,
    };
  },
});
