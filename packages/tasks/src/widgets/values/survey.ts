import { widthOf } from '../drawing/font.js';
import { LabelMisfit } from '../drawing/labels.js';
import type { SurveyArgument } from './survey.page.js';
import { widgetFamily } from '../widgetFamily.js';

export const survey = widgetFamily({
  name: 'survey',
  description: 'Choose an answer in each row, then click a button.',
  templates: {
    two: [
      'answer {row0} with {answer0} and {row1} with {answer1}, then press {button}',
      'choose {answer0} for {row0} and {answer1} for {row1} and press {button}',
      'set {row0} to {answer0} and {row1} to {answer1}, then click {button}',
    ],
    three: [
      'answer {row0} with {answer0}, {row1} with {answer1} and {row2} with {answer2}, then press {button}',
      'choose {answer0} for {row0}, {answer1} for {row1} and {answer2} for {row2} and press {button}',
    ],
  },
  layouts: { look: ['matrix', 'matrix', 'chips'], scale: ['numbers', 'words'], mark: ['dot', 'square', 'disc'] },
  room: { width: [144, 420], height: [112, 240] },
  styles: `
.survey .matrix{display:grid}
.survey .matrix>div{height:var(--row);display:flex;align-items:center;justify-content:center;white-space:pre;overflow:hidden}
.survey .matrix>.name{justify-content:flex-start}
.survey .matrix>.head{color:var(--muted)}
.survey .matrix>.odd{background:var(--soft)}
.survey .answer:hover i{border-color:var(--accent)}
.survey .answer i{width:13px;height:13px;border:2px solid var(--muted);border-radius:50%;background:var(--card)}
.survey.square .answer i{border-radius:2px}
.survey .answer.on i{border-color:var(--accent);background:var(--accent);box-shadow:inset 0 0 0 2px var(--card)}
.survey.disc .answer.on i{box-shadow:none}
.survey .question{white-space:pre;height:var(--line-height)}
.survey .chips{display:flex;gap:3px}
.survey .chips .answer{flex:1;height:var(--row);display:flex;align-items:center;justify-content:center;border:1px solid var(--muted);border-radius:var(--radius);white-space:pre;overflow:hidden}
.survey .chips .answer.on{background:var(--accent);color:var(--on-accent);border-color:var(--accent)}
.survey .chips .answer:hover{border-color:var(--accent)}`,
  page: 'widgets/values/survey',
  draw({ random, area, row, gap, skin, labels, layout }) {
    const { font } = skin;
    const matrix = layout.look === 'matrix';
    const numbers = layout.scale === 'numbers';
    const line = Math.ceil(font.size * 1.2);
    const each = matrix ? row : row + line + gap;
    const max = Math.min(3, Math.floor((area.height - row - gap - (matrix ? row : 0)) / each));
    if (max < 2) throw new LabelMisfit('less than 2 rows');
    const count = random.between(2, max);
    const name = matrix ? Math.round(area.width * (numbers ? 0.4 : 0.28)) : 0;
    const minWidth = numbers ? Math.max(17, widthOf('5', font) + 6) : 44;
    const sizes = [3, 4, 5].filter((size) => (area.width - name) / size >= minWidth);
    if (sizes.length === 0) throw new LabelMisfit('less than 3 answers');
    const size = random.pick(sizes);
    const room = (area.width - name) / size - 8;
    const answers = numbers
      ? Array.from({ length: size }, (_, index) => String(index + 1))
      : labels.several(size, room - 2);
    const names = labels.several(count, matrix ? name - 4 : area.width);
    const target = names.map(() => random.between(0, size - 1));
    const values = target.map((right) => {
      const value = random.chance(0.3) ? random.between(0, size - 1) : -1;
      return value === right ? -1 : value;
    });
    const buttons = labels.several(2, (area.width - gap) / 2 - 16);
    const button = random.between(0, 1);

    const look = (index: number, number: number) =>
      `class="answer${index % 2 ? ' odd' : ''}" data-name="answer-${index}-${number}"`;
    const table = [
      '<div></div>',
      ...answers.map((answer) => `<div class="head">${answer}</div>`),
      ...names.flatMap((label, index) => [
        `<div class="name${index % 2 ? ' odd' : ''}" data-name="name-${index}">${label}</div>`,
        ...answers.map((_, number) => `<div ${look(index, number)}><i></i></div>`),
      ]),
    ];
    const rows = names.map(
      (label, index) =>
        `<div><div class="question" data-name="name-${index}">${label}</div><div class="chips">` +
        `${answers.map((answer, number) => `<div ${look(index, number)}>${answer}</div>`).join('')}</div></div>`,
    );
    const body = matrix
      ? `<div class="matrix" style="grid-template-columns:${name}px repeat(${size},1fr)">${table.join('')}</div>`
      : rows.join('');
    const press = buttons.map(
      (label, number) => `<div class="btn ${skin.button}" data-name="button-${number}">${label}</div>`,
    );
    const argument: SurveyArgument = { values, answers: size, target, button };
    return {
      html:
        `<div class="down survey ${layout.mark}" style="--line-height:${line}px">${body}` +
        `<div class="across push">${press.join('')}</div></div>`,
      argument,
      say: count === 2 ? 'two' : 'three',
      texts: {
        button: buttons[button] ?? '',
        ...Object.fromEntries(names.map((label, index) => [`row${index}`, label])),
        ...Object.fromEntries(target.map((right, index) => [`answer${index}`, answers[right] ?? ''])),
      },
      turns: count + 1,
    };
  },
});
