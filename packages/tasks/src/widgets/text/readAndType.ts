import { widthOf } from '../drawing/font.js';
import { LabelMisfit } from '../drawing/labels.js';
import type { ReadAndTypeArgument } from './readAndType.page.js';
import { widgetFamily } from '../widgetFamily.js';

export const readAndType = widgetFamily({
  name: 'readAndType',
  description: 'Read a fact from the screen and type it into a field.',
  templates: {
    pairsEnter: [
      'type what stands beside {row} into the field and press enter',
      'find {row}, type its text into the field and press enter',
      'copy the text of {row} into the field, then press enter',
    ],
    pairsButton: [
      'type what stands beside {row} into the field and press {button}',
      'find {row}, write its text in the field and click {button}',
      'copy the text of {row} into the field, then press {button}',
    ],
    tableEnter: [
      'type the {column} of {row} into the field and press enter',
      'find column {column} of row {row}, type it into the field and press enter',
    ],
    tableButton: [
      'type the {column} of {row} into the field and press {button}',
      'write what row {row} has in column {column} in the field and click {button}',
    ],
    messagesEnter: [
      'type what {row} says into the field and press enter',
      'read the message of {row}, type it into the field and press enter',
    ],
    messagesButton: [
      'type what {row} says into the field and press {button}',
      'read the message of {row}, write it in the field and click {button}',
    ],
  },
  layouts: {
    kind: ['pairs', 'table', 'messages'],
    at: ['above', 'below'],
    lines: ['bare', 'ruled', 'striped'],
    edge: ['box', 'line'],
  },
  room: { width: [144, 400], height: [108, 250] },
  styles: `
.readAndType .fact{height:var(--row);padding:0 4px;display:flex;align-items:center;gap:6px;white-space:pre;overflow:hidden}
.readAndType.ruled .fact{border-bottom:1px solid var(--line)}
.readAndType.striped .fact:nth-child(even){background:var(--soft)}
.readAndType .fact>span{flex:1;min-width:0}
.readAndType .head{font-weight:700;color:var(--muted)}
.readAndType .message{display:flex;gap:6px;align-items:center;height:calc(var(--row) + 3px);white-space:pre}
.readAndType .message i{flex:none;width:11px;height:11px;border-radius:50%;background:var(--muted)}
.readAndType .message b{padding:0 6px;height:var(--row);display:flex;align-items:center;font-weight:inherit;background:var(--tint);border-radius:var(--radius)}
.readAndType .message.own{flex-direction:row-reverse}
.readAndType .write{flex:none;display:flex;gap:var(--gap)}
.readAndType.below .write{margin-top:auto}
.readAndType.below .across{margin-top:0}
.readAndType.above .write{order:-1}
.readAndType.line .field{border-width:0 0 2px;border-radius:0}
.readAndType .field.done{background:var(--tint)}`,
  page: 'widgets/text/readAndType',
  draw({ random, area, row, gap, skin, labels, layout }) {
    const { kind } = layout;
    const enter = random.chance(0.5);
    const height = area.height - (row + gap) * (enter ? 1 : 2) - gap;
    const high = kind === 'messages' ? row + 3 : row;
    const max = Math.min(6, Math.floor(height / high) - (kind === 'table' ? 1 : 0));
    if (max < 2) throw new LabelMisfit('less than 2 facts');
    const count = random.between(2, max);
    const columns = kind === 'table' ? Math.max(2, Math.min(4, Math.floor(area.width / 90))) : 1;
    // Bold letters are about a tenth wider.
    const room = Math.floor((area.width - 10 - 6 * columns) / (columns + 1) / 1.1);
    const named = kind === 'messages' ? (area.width - 45) / 2 : room;
    const names = labels.several(count, named);
    const heads = kind === 'table' ? labels.several(columns, room) : [];
    const numbers = random.chance(0.3);
    const known = new Set<string>();
    const value = (): string => {
      for (let attempt = 0; attempt < 60; attempt++) {
        const text = numbers ? String(random.between(10, 9999)) : labels.text();
        if (known.has(text) || widthOf(text, skin.font) > room) continue;
        known.add(text);
        return text;
      }
      throw new LabelMisfit('no short text');
    };
    const values = names.map(() => Array.from({ length: columns }, value));
    const target = { row: random.between(0, count - 1), column: random.between(0, columns - 1) };
    const text = values[target.row]?.[target.column] ?? '';
    const focused = random.chance(0.3);
    const buttons = enter ? [] : labels.several(2, (area.width - gap) / 2 - 16);
    const button = random.between(0, 1);

    const path = ({ row, column }: { row: number; column: number }): string =>
      [names[row], ...(heads.length > 0 ? [heads[column]] : [])].join('/');
    const spans = (texts: readonly string[]) => texts.map((cell) => `<span>${cell}</span>`).join('');
    const facts = names.map((name, index) => {
      const cells = values[index] ?? [];
      if (kind !== 'messages') return `<div class="fact">${spans([name, ...cells])}</div>`;
      const odd = index % 2 ? ' own' : '';
      return `<div class="message${odd}"><i></i><span>${name}</span><b>${cells[0] ?? ''}</b></div>`;
    });
    const head = kind === 'table' ? `<div class="fact head">${spans(['', ...heads])}</div>` : '';
    const press = buttons.map(
      (label, index) => `<div class="btn ${skin.button}" data-name="button-${index}">${label}</div>`,
    );
    const argument: ReadAndTypeArgument = { text, focused, ...(!enter && { button }) };
    return {
      html:
        `<div class="down readAndType ${layout.at} ${layout.lines} ${layout.edge}"><div>${head}${facts.join('')}</div>` +
        `<div class="write"><div class="field" data-name="field"></div></div>` +
        `${enter ? '' : `<div class="across push">${press.join('')}</div>`}</div>`,
      argument,
      say: `${kind}${enter ? 'Enter' : 'Button'}`,
      texts: { row: names[target.row] ?? '', column: heads[target.column] ?? '', button: buttons[button] ?? '' },
      turns: focused ? 2 : 3,
      files: {
        contents: Object.fromEntries(
          values.flatMap((cells, index) => cells.map((cell, column) => [path({ row: index, column }), cell])),
        ),
        subject: path(target),
      },
    };
  },
});
