import { LabelMisfit } from '../drawing/labels.js';
import type { ToggleArgument } from './toggle.page.js';
import { widgetFamily } from '../widgetFamily.js';

export const toggle = widgetFamily({
  name: 'toggle',
  description: 'Set one or two of several switches, then click a button.',
  templates: {
    on: ['switch on {a} and press {button}', 'turn {a} on, then press {button}', 'turn on {a} and click {button}'],
    off: ['switch off {a} and press {button}', 'turn {a} off, then press {button}', 'turn off {a} and click {button}'],
    bothOn: ['switch on {a} and {b}, then press {button}', 'turn {a} and {b} on and press {button}'],
    bothOff: ['switch off {a} and {b}, then press {button}', 'turn {a} and {b} off and press {button}'],
    mixed: [
      'switch on {a} and switch off {b}, then press {button}',
      'turn {a} on and {b} off and press {button}',
      'turn on {a}, turn off {b} and click {button}',
    ],
  },
  layouts: { look: ['pill', 'square', 'slim', 'tick'], side: ['left', 'right'], rows: ['bare', 'lines', 'stripes'] },
  room: { width: [140, 340], height: [100, 240] },
  styles: `
.toggle .rows{display:flex;flex-direction:column}
.toggle .row{height:var(--high);padding:0 5px;display:flex;align-items:center;gap:7px;white-space:pre}
.toggle.right .row{flex-direction:row-reverse;justify-content:space-between}
.toggle.lines .row{border-bottom:1px solid var(--line)}
.toggle.stripes .row:nth-child(even){background:var(--soft)}
.toggle .switch{flex:none;position:relative;width:24px;height:13px;border-radius:7px;background:var(--line);border:1px solid var(--muted)}
.toggle .switch::before{content:'';position:absolute;left:1px;top:1px;width:9px;height:9px;border-radius:50%;background:var(--muted)}
.toggle .on .switch{background:var(--accent);border-color:var(--accent)}
.toggle .on .switch::before{left:12px;background:var(--on-accent)}
.toggle.square .switch,.toggle.square .switch::before{border-radius:2px}
.toggle.slim .switch{height:7px}
.toggle.slim .switch::before{left:-1px;top:-4px;width:13px;height:13px;border:2px solid var(--card)}
.toggle.slim .on .switch::before{left:11px;background:var(--accent);border:2px solid var(--on-accent)}
.toggle.tick .switch{width:13px;border-radius:3px;background:var(--card)}
.toggle.tick .switch::before{display:none}
.toggle.tick .on .switch{background:var(--accent)}
.toggle.tick .on .switch::before{display:block;left:3px;top:0;width:5px;height:8px;border-radius:0;background:none;border:solid var(--on-accent);border-width:0 2px 2px 0;transform:rotate(40deg)}`,
  page: 'widgets/values/toggle',
  draw({ random, area, row, gap, skin, labels, layout }) {
    const high = row + random.between(0, 4);
    const max = Math.min(6, Math.floor((area.height - row - gap) / high));
    if (max < 3) throw new LabelMisfit('less than 3 switches');
    const names = labels.several(random.between(3, max), area.width - 45);
    const variant = random.pick(['on', 'off', 'bothOn', 'bothOff', 'mixed', 'mixed'] as const);
    const two = variant !== 'on' && variant !== 'off';
    const [a = 0, b = 0] = random.shuffle([...names.keys()]);
    const states = names.map(() => random.chance(0.5));
    const isOn = variant === 'on' || variant === 'bothOn' || variant === 'mixed';
    const target = [...states];
    target[a] = isOn;
    if (two) target[b] = variant === 'bothOn';
    states[a] = !isOn;
    if (two) states[b] = random.chance(0.25) ? variant === 'bothOn' : variant !== 'bothOn';
    const buttons = labels.several(2, (area.width - gap) / 2 - 16);
    const button = random.between(0, 1);

    const rows = names.map(
      (name, index) =>
        `<div class="row" data-name="row-${index}"><div class="switch" data-name="switch-${index}"></div><span>${name}</span></div>`,
    );
    const press = buttons.map(
      (label, index) => `<div class="btn ${skin.button}" data-name="button-${index}">${label}</div>`,
    );
    const argument: ToggleArgument = { states, target, goals: two ? [a, b] : [a], button };
    return {
      html:
        `<div class="down toggle ${layout.look} ${layout.side} ${layout.rows}" style="--high:${high}px"><div class="rows">${rows.join('')}</div>` +
        `<div class="across push">${press.join('')}</div></div>`,
      argument,
      say: variant,
      texts: { a: names[a] ?? '', b: names[b] ?? '', button: buttons[button] ?? '' },
      turns: 1 + states.filter((state, index) => state !== target[index]).length,
    };
  },
});
