import type { DialogArgument } from './dialog.page.js';
import { widthOf } from '../drawing/font.js';
import { LabelMisfit } from '../drawing/labels.js';
import { widgetFamily } from '../widgetFamily.js';

export const dialog = widgetFamily({
  name: 'dialog',
  description: 'Answer or close the dialog that covers the page, then click a button on the page.',
  templates: {
    answer: ['press {answer} in the dialog', 'answer the dialog with {answer}', 'choose {answer} in the dialog'],
    then: [
      'answer the dialog with {answer}, then press {button}',
      'press {answer} in the dialog, then press {button} on the page',
      'choose {answer} and then click {button}',
    ],
    close: ['close the dialog and press {button}', 'close the dialog, then click {button}'],
  },
  layouts: {
    answers: ['row', 'column'],
    shade: ['dark', 'light', 'none'],
    close: ['right', 'left'],
    page: ['grid', 'list'],
  },
  room: { width: [130, 420], height: [96, 260] },
  styles: `
.dialog.page{position:absolute;inset:0;display:flex;flex-wrap:wrap;gap:var(--gap);align-content:flex-start;overflow:hidden}
.dialog.page.list{flex-direction:column;flex-wrap:nowrap;align-items:flex-start}
.dialog.cover{position:absolute;inset:0;z-index:8}
.dialog.dark{background:rgba(0,0,0,.5)}
.dialog.light{background:rgba(128,128,128,.35)}
.dialog .sheet{position:absolute;background:var(--card);border:1px solid var(--muted);border-radius:var(--radius);box-shadow:0 4px 14px rgba(0,0,0,.35);padding:6px;display:flex;flex-direction:column;gap:var(--gap)}
.dialog .head{flex:none;display:flex;align-items:center;justify-content:space-between;font-weight:700;white-space:pre}
.dialog .head.left{flex-direction:row-reverse}
.dialog .shut{flex:none;width:var(--row);height:var(--row);border-radius:var(--radius);background:linear-gradient(45deg,transparent 46%,var(--text) 46% 54%,transparent 54%),linear-gradient(-45deg,transparent 46%,var(--text) 46% 54%,transparent 54%);background-color:var(--soft);border:3px solid var(--soft)}
.dialog .answers{display:flex;gap:var(--gap);justify-content:flex-end}
.dialog .answers.column{flex-direction:column}`,
  page: 'widgets/panels/dialog',
  draw({ random, area, row, gap, size, skin, labels, layout }) {
    const { font } = skin;
    const variant = random.pick(['answer', 'then', 'then', 'close'] as const);
    const columns = layout.page === 'grid' ? 2 : 1;
    const max = Math.min(6, columns * Math.floor((area.height + gap) / (row + gap)));
    const buttons = labels.several(random.between(2, Math.max(2, max)), (area.width - gap) / columns - 18);
    const button = random.between(0, buttons.length - 1);

    const width = Math.min(size.width - 16, random.between(128, size.width < 300 ? 150 : 300));
    const inRow = layout.answers === 'row';
    const count = inRow && width < 200 ? 2 : random.between(2, 3);
    const answers = labels.several(count, (width - 14 - gap * (count - 1)) / (inRow ? count : 1) - 18);
    const answer = random.between(0, count - 1);
    const title = labels.filler();
    if (widthOf(title, { ...font, weight: 700 }) > width - row - 20) throw new LabelMisfit('a long title');
    const answersHeight = inRow ? row : count * (row + gap) - gap;
    const lines = Math.min(3, Math.floor((size.height - 30 - row - answersHeight - 2 * gap) / (font.size * 1.15)));
    if (lines < 0) throw new LabelMisfit('no room for a dialog');
    const perLine = Math.max(1, Math.floor((width - 14) / (font.size * 5)));
    const text = Array.from({ length: random.between(0, lines) * perLine }, () => labels.filler()).join(' ');
    const height = 14 + row + gap + answersHeight + (text ? gap + lines * Math.ceil(font.size * 1.15) : 0);
    const dialogX = random.between(4, size.width - width - 4);
    const dialogY = random.between(2, Math.max(2, size.height - height - 4));

    const look = (number: number) => (number === 0 && layout.shade !== 'light' ? 'solid' : skin.button);
    const choices = answers.map(
      (label, number) => `<div class="btn ${look(number)}" data-name="answer-${number}">${label}</div>`,
    );
    const page = buttons.map(
      (label, number) => `<div class="btn ${skin.button}" data-name="button-${number}">${label}</div>`,
    );
    const argument: DialogArgument = {
      ...(variant !== 'close' && { answer }),
      ...(variant !== 'answer' && { button }),
    };
    return {
      html: `<div class="dialog page ${layout.page}">${page.join('')}</div>`,
      overlay:
        `<div class="dialog cover ${layout.shade}" data-name="cover"><div class="sheet" data-name="sheet" style="left:${dialogX}px;top:${dialogY}px;width:${width}px">` +
        `<div class="head ${layout.close}"><span>${title}</span><div class="shut" data-name="shut"></div></div>` +
        `${text ? `<div class="muted">${text}</div>` : ''}<div class="answers ${layout.answers}">${choices.join('')}</div></div></div>`,
      argument,
      say: variant,
      texts: { answer: answers[answer] ?? '', button: buttons[button] ?? '' },
      turns: variant === 'answer' ? 1 : 2,
    };
  },
});
