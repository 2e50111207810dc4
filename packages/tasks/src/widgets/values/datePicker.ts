import type { DatePickerArgument } from './datePicker.page.js';
import { months, weekdays } from '../drawing/fixedWords.js';
import { widthOf } from '../drawing/font.js';
import { LabelMisfit } from '../drawing/labels.js';
import { widgetFamily } from '../widgetFamily.js';

export const datePicker = widgetFamily({
  name: 'datePicker',
  description: 'Go to a month in a calendar and choose a day.',
  templates: {
    choose: [
      'choose {date} in the calendar',
      'select the date {date}',
      'go to {month} and choose day {day}',
      'set the date to {date}',
    ],
  },
  layouts: {
    arrows: ['sides', 'right', 'bottom'],
    first: ['Mo', 'Su'],
    days: ['plain', 'boxed', 'round'],
    weekdays: ['shown', 'none'],
  },
  room: { width: [142, 300], height: [118, 240] },
  styles: `
.datePicker{position:absolute;inset:0;display:flex;flex-direction:column}
.datePicker .head{flex:none;height:var(--row);display:flex;align-items:center;gap:2px}
.datePicker .title{flex:1;text-align:center;font-weight:700;white-space:pre}
.datePicker.right .title{text-align:left;padding-left:3px}
.datePicker .go{flex:none;width:20px;height:var(--row);display:flex;align-items:center;justify-content:center;border-radius:var(--radius)}
.datePicker.bottom .go{flex:1}
.datePicker .go:hover{background:var(--soft)}
.datePicker .go::before{content:'';width:7px;height:7px;border:solid var(--text);border-width:0 0 2px 2px;transform:translateX(2px) rotate(45deg)}
.datePicker .go.after::before{transform:translateX(-2px) rotate(-135deg)}
.datePicker .grid{flex:1;min-height:0;display:grid;grid-template-columns:repeat(7,1fr);grid-auto-rows:1fr}
.datePicker .grid>div{display:flex;align-items:center;justify-content:center;font-size:var(--small);min-height:0}
.datePicker .weekday{color:var(--muted)}
.datePicker .day:hover{background:var(--tint)}
.datePicker.boxed .day{border:1px solid var(--line);margin:0 -1px -1px 0}
.datePicker.round .day{border-radius:40%;background:var(--soft)}
.datePicker .day.blank{visibility:hidden}
.datePicker .day.today{color:var(--accent);font-weight:700}
.datePicker .day.pressed{background:var(--accent);color:var(--on-accent)}`,
  page: 'widgets/values/datePicker',
  draw({ random, area, row, skin, layout }) {
    if (area.height < 7 * 13 + row) throw new LabelMisfit('no room for a month');
    const start = { year: random.between(2020, 2031), month: random.between(0, 11) };
    const offset = random.pick([0, 0, 1, 1, -1, -1, 2, -2]);
    const targetMonth = start.year * 12 + start.month + offset;
    const target = { year: Math.floor(targetMonth / 12), month: targetMonth % 12, day: 0 };
    target.day = random.between(1, new Date(Date.UTC(target.year, target.month + 1, 0)).getUTCDate());
    const titleRoom = area.width - (layout.arrows === 'bottom' ? 4 : 48);
    const [from, to] = [Math.min(targetMonth, targetMonth - offset), Math.max(targetMonth, targetMonth - offset)];
    for (let between = from; between <= to; between++) {
      const title = `${months[between % 12]} ${Math.floor(between / 12)}`;
      if (widthOf(title, { ...skin.font, weight: 700 }) > titleRoom) throw new LabelMisfit('a long month');
    }
    const name = months[target.month] ?? '';
    const month = `${name} ${target.year}`;
    const date = random.pick([`${target.day} ${month}`, `${name} ${target.day}, ${target.year}`]);
    const today = random.between(1, 28);

    const go = ['before', 'after'].map(
      (direction) => `<div class="go ${direction}" data-name="go-${direction}"></div>`,
    );
    const title = '<div class="title" data-name="title"></div>';
    const head =
      layout.arrows === 'sides' ? [go[0], title, go[1]] : layout.arrows === 'right' ? [title, ...go] : [title];
    const order = layout.first === 'Mo' ? weekdays : [weekdays[6], ...weekdays.slice(0, 6)];
    const named = layout.weekdays === 'shown' ? order.map((weekday) => `<div class="weekday">${weekday}</div>`) : [];
    const days = Array.from({ length: 42 }, (_, index) => `<div class="day" data-name="day-${index}"></div>`);
    const foot = layout.arrows === 'bottom' ? `<div class="head">${go.join('')}</div>` : '';
    const argument: DatePickerArgument = { start, target, sunday: layout.first === 'Su', today, months };
    return {
      html:
        `<div class="datePicker ${layout.arrows} ${layout.days}" style="--small:${Math.max(11, skin.font.size - 1)}px">` +
        `<div class="head">${head.join('')}</div><div class="grid">${named.join('')}${days.join('')}</div>${foot}</div>`,
      argument,
      say: 'choose',
      texts: { date, month, day: String(target.day) },
      turns: Math.abs(offset) + 1,
    };
  },
});
