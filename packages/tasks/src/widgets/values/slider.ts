import { widthOf } from '../drawing/font.js';
import type { SliderArgument } from './slider.page.js';
import { widgetFamily } from '../widgetFamily.js';

export const slider = widgetFamily({
  name: 'slider',
  description: 'Set a slider by clicking its track or dragging, then click a button.',
  templates: {
    set: [
      'set {slider} to {value} and press {button}',
      'move the slider {slider} to {value}, then press {button}',
      'drag the slider {slider} to {value} and click {button}',
    ],
  },
  layouts: { thumb: ['circle', 'bar', 'square'], ticks: ['none', 'lines', 'numbers'], value: ['beside', 'below'] },
  room: { width: [140, 380], height: [100, 200] },
  styles: `
.slider .head{display:flex;justify-content:space-between;white-space:pre}
.slider .slide{margin:0 -8px;padding:0 8px}
.slider .track{position:relative;height:var(--row)}
.slider .track::before,.slider .done{content:'';position:absolute;left:0;right:0;top:50%;height:4px;margin-top:-2px;border-radius:2px;background:var(--line)}
.slider .done{right:auto;background:var(--accent)}
.slider .thumb{position:absolute;top:50%;width:12px;height:12px;margin:-6px 0 0 -6px;border-radius:50%;background:var(--card);border:3px solid var(--accent)}
.slider.bar .thumb{width:7px;height:16px;margin:-8px 0 0 -3.5px;border-radius:2px;background:var(--accent)}
.slider.square .thumb{border-radius:2px}
.slider .tick{position:absolute;bottom:-2px;width:1px;height:4px;background:var(--muted)}
.slider .marks{position:relative;height:1.1em;font-size:11px;color:var(--muted)}
.slider .marks span{position:absolute;transform:translateX(-50%)}`,
  page: 'widgets/values/slider',
  draw({ random, area, row, skin, labels, layout }) {
    const { font } = skin;
    const count = area.height > 3.2 * (2 * row + 18) ? random.between(1, 2) : 1;
    // A step of the track is at least 9 px wide.
    const track = area.width - 16;
    const span = random.pick([5, 6, 8, 10, 10, 12, 16, 20].filter((steps) => track / steps >= 9));
    const step = random.pick([1, 1, 2, 5, 10]);
    const min = random.pick([0, 0, 1]) * step;
    const names = labels.several(count, area.width - 60);
    const values = names.map(() => min + step * random.between(0, span));
    const target = random.between(0, count - 1);
    let value = values[target] ?? 0;
    while (value === values[target]) value = min + step * random.between(0, span);
    const buttonRoom = Math.floor((area.width - 4) / 2) - 16;
    const buttons = labels.several(2, buttonRoom);
    const button = random.between(0, 1);

    const numberOf = (tick: number) => String(min + step * tick);
    const sparse = Math.ceil((widthOf(numberOf(span), font) + 8) / (track / span));
    const sliders = names.map((label, index) => {
      const leftOf = (tick: number) => `left:${(100 * tick) / span}%`;
      const ticks = Array.from({ length: span + 1 }, (_, tick) => tick);
      const lines =
        layout.ticks === 'none' ? '' : ticks.map((tick) => `<i class="tick" style="${leftOf(tick)}"></i>`).join('');
      const numbers = ticks
        .filter((tick) => tick % sparse === 0)
        .map((tick) => `<span style="${leftOf(tick)}">${numberOf(tick)}</span>`);
      const marks = layout.ticks === 'numbers' ? `<div class="marks">${numbers.join('')}</div>` : '';
      const valueText = `<span data-name="value-${index}"></span>`;
      const head = layout.value === 'beside' ? `<span>${label}</span>${valueText}` : `<span>${label}</span>`;
      const foot = layout.value === 'below' ? `<div class="muted">${valueText}</div>` : '';
      return (
        `<div style="padding:0 8px"><div class="head">${head}</div><div class="slide" data-name="slide-${index}"><div class="track" data-name="track-${index}" data-ticks="${span}">${lines}` +
        `<i class="done" data-name="done-${index}"></i><i class="thumb" data-name="thumb-${index}"></i></div></div>${marks}${foot}</div>`
      );
    });
    const press = buttons.map(
      (label, index) => `<div class="btn ${skin.button}" data-name="button-${index}">${label}</div>`,
    );
    const argument: SliderArgument = { values, min, step, span, target: { slider: target, value }, button };
    return {
      html: `<div class="down slider ${layout.thumb}">${sliders.join('')}<div class="across push">${press.join('')}</div></div>`,
      argument,
      say: 'set',
      texts: { slider: names[target] ?? '', value: String(value), button: buttons[button] ?? '' },
      turns: 2,
    };
  },
});
