import { widthOf } from '../drawing/font.js';
import { LabelMisfit } from '../drawing/labels.js';
import type { TextSelectArgument } from './textSelect.page.js';
import { widgetFamily } from '../widgetFamily.js';

export const textSelect = widgetFamily({
  name: 'textSelect',
  description: 'Select a word by double-clicking or several by dragging, then click a button if requested.',
  templates: {
    word: ['select the word {first}', 'double click the word {first}', 'mark the word {first} in the text'],
    range: ['select the text from {first} to {last}', 'mark the text {first} to {last}', 'drag from {first} to {last}'],
    wordThen: ['select the word {first} and press {button}', 'mark {first} in the text, then press {button}'],
    rangeThen: [
      'select the text from {first} to {last} and press {button}',
      'mark the text {first} to {last}, then click {button}',
    ],
  },
  layouts: { paper: ['plain', 'framed', 'ruled'], align: ['left', 'left', 'centre'], buttons: ['below', 'above'] },
  room: { width: [130, 420], height: [96, 240] },
  styles: `
.textSelect.above{flex-direction:column-reverse;justify-content:flex-end}
.textSelect .words{flex:1;min-height:0;display:flex;flex-wrap:wrap;align-content:flex-start;cursor:text}
.textSelect.centre .words{justify-content:center}
.textSelect.framed .words{padding:3px;border:1px solid var(--line);border-radius:calc(var(--radius)*.6)}
.textSelect .word{height:var(--high);padding:0 var(--space);display:flex;align-items:center;white-space:pre}
.textSelect.ruled .word{border-bottom:1px solid var(--line)}
.textSelect .word.chosen{background:var(--accent);color:var(--on-accent)}`,
  page: 'widgets/text/textSelect',
  draw({ random, area, row, gap, skin, labels, layout }) {
    const { font } = skin;
    const button = random.chance(0.5) ? random.between(0, 1) : undefined;
    const space = Math.ceil(font.size * 0.18);
    const high = row + random.between(-1, 3);
    const width = area.width - 10;
    const lines = Math.floor((area.height - (button === undefined ? 0 : row + gap) - 8) / high);
    if (lines < 2) throw new LabelMisfit('less than 2 lines');
    const words: string[] = [];
    for (let line = random.between(2, Math.min(6, lines)), used = 0; line > 0 && words.length < 24;) {
      const [word = ''] = labels.next(width - 2 * space).split(' ');
      if (words.some((known) => known.toLowerCase() === word.toLowerCase())) {
        line -= 0.1;
        continue;
      }
      used += widthOf(word, font) + 2 * space;
      if (used > width) {
        line = Math.ceil(line) - 1;
        used = widthOf(word, font) + 2 * space;
      }
      if (line > 0) words.push(word);
    }
    if (words.length < 3) throw new LabelMisfit('less than 3 words');
    const range = random.chance(0.5);
    const first = random.between(0, words.length - (range ? 2 : 1));
    const last = range ? random.between(first + 1, Math.min(words.length - 1, first + 7)) : first;
    const buttons = button === undefined ? [] : labels.several(2, (area.width - gap) / 2 - 16);
    const text = words.map((word, index) => `<span class="word" data-name="word-${index}">${word}</span>`);
    const press = buttons.map(
      (label, number) => `<div class="btn ${skin.button}" data-name="button-${number}">${label}</div>`,
    );
    const argument: TextSelectArgument = { count: words.length, first, last, ...(button !== undefined && { button }) };
    return {
      html:
        `<div class="down textSelect ${layout.paper} ${layout.align} ${layout.buttons}" style="--high:${high}px;--space:${space}px">` +
        `<div class="words" data-name="words">${text.join('')}</div>${button === undefined ? '' : `<div class="across">${press.join('')}</div>`}</div>`,
      argument,
      say: `${range ? 'range' : 'word'}${button === undefined ? '' : 'Then'}`,
      texts: { first: words[first] ?? '', last: words[last] ?? '', button: buttons[button ?? 0] ?? '' },
      turns: button === undefined ? 1 : 2,
    };
  },
});
