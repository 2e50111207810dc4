import { LabelMisfit } from '../drawing/labels.js';
import type { StepperArgument } from './stepper.page.js';
import { widgetFamily } from '../widgetFamily.js';

export const stepper = widgetFamily({
  name: 'stepper',
  description: 'Click plus or minus until a number is right, then click a button.',
  templates: {
    set: [
      'set {stepper} to {value} and press {button}',
      'change the number {stepper} to {value}, then press {button}',
      'press plus or minus until {stepper} is {value}, then press {button}',
      'make {stepper} {value} and click {button}',
    ],
  },
  layouts: { ends: ['around', 'after', 'stacked'], sign: ['plus', 'arrow'], edge: ['box', 'round', 'bare'] },
  room: { width: [140, 340], height: [100, 220] },
  styles: `
.stepper .set{flex:none;display:flex;align-items:center;justify-content:space-between;white-space:pre}
.stepper .ends{flex:none;display:flex;align-items:center;gap:2px}
.stepper.after .value{order:-1}
.stepper .value{width:var(--value);text-align:center}
.stepper .turn{position:relative;width:var(--row);height:var(--row);border:1px solid var(--muted);background:var(--soft);border-radius:calc(var(--radius)*.5)}
.stepper.round .turn{border-radius:50%}
.stepper.bare .turn{border-color:transparent}
.stepper .turn:hover{background:var(--tint)}
.stepper .turn::before{content:'';position:absolute;inset:0;background:linear-gradient(var(--text) 0 0) center/8px 2px no-repeat}
.stepper .more::after{content:'';position:absolute;inset:0;background:linear-gradient(var(--text) 0 0) center/2px 8px no-repeat}
.stepper.arrow .turn::before{inset:auto;left:50%;top:50%;width:6px;height:6px;margin:-5px 0 0 -4px;background:none;border:solid var(--text);border-width:0 2px 2px 0;transform:rotate(45deg)}
.stepper.arrow .more::before{margin-top:-2px;transform:rotate(225deg)}
.stepper.arrow .more::after{display:none}
.stepper.stacked .ends{display:grid;grid-template-columns:var(--value) calc(var(--row) + 4px);gap:0 2px}
.stepper.stacked .value{grid-area:1/1/3/2}
.stepper.stacked .turn{width:auto;height:calc(var(--row)*.7);border-radius:2px}
.stepper.stacked .more{grid-area:1/2}
.stepper.stacked .less{grid-area:2/2}`,
  page: 'widgets/values/stepper',
  draw({ random, area, row, gap, skin, labels, layout }) {
    const { font } = skin;
    const each = (layout.ends === 'stacked' ? Math.ceil(row * 1.4) : row) + gap;
    const max = Math.min(3, Math.floor((area.height - row) / each));
    if (max < 1) throw new LabelMisfit('no room for a number');
    const count = random.between(1, max);
    const value = Math.ceil(2.4 * font.size);
    const room = area.width - value - 2 * row - 16;
    const names = labels.several(count, room);
    const step = random.pick([1, 1, 1, 2, 5, 10]);
    const values = names.map(() => step * random.between(0, 9));
    const target = random.between(0, count - 1);
    const start = values[target] ?? 0;
    const presses = random.between(1, 4);
    const up = start - presses * step < 0 || (start + presses * step <= 99 && random.chance(0.5));
    const goal = start + (up ? presses : -presses) * step;
    const buttons = labels.several(2, (area.width - gap) / 2 - 16);
    const button = random.between(0, 1);

    const sets = names.map(
      (name, index) =>
        `<div class="set"><span>${name}</span><div class="ends"><div class="turn less" data-name="less-${index}"></div>` +
        `<span class="value" data-name="value-${index}"></span><div class="turn more" data-name="more-${index}"></div></div></div>`,
    );
    const press = buttons.map(
      (label, index) => `<div class="btn ${skin.button}" data-name="button-${index}">${label}</div>`,
    );
    const argument: StepperArgument = { values, step, target: { stepper: target, value: goal }, button };
    return {
      html:
        `<div class="down stepper ${layout.ends} ${layout.sign} ${layout.edge}" style="--value:${value}px">${sets.join('')}` +
        `<div class="across push">${press.join('')}</div></div>`,
      argument,
      say: 'set',
      texts: { stepper: names[target] ?? '', value: String(goal), button: buttons[button] ?? '' },
      turns: presses + 1,
    };
  },
});
