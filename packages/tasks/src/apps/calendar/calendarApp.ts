import type { App } from '../appFamily.js';
import { dayAfter, mondayOf } from '../data/day.js';
import type { Pen } from '../data/pen.js';
import { type Appointment, type CalendarApp, type CalendarStore } from './calendarStore.js';
import { calendarTemplates } from './calendarTemplates.js';
import { calendarWords } from './calendarWords.js';

function drawStore(pen: Pen): CalendarStore {
  const { random } = pen;
  const today = dayAfter('2026-01-12', pen.number(1, 300));
  const hues = random.shuffle([0, 30, 130, 175, 215, 265, 320]);
  const calendars = Object.fromEntries(
    Array.from({ length: 3 }, (_, index) => [
      `k${index + 1}`,
      { name: pen.newWord('group'), hue: hues[index] ?? 0, shown: true },
    ]),
  );
  const people = Array.from({ length: 6 }, () => pen.person());
  const monday = mondayOf(today);
  const taken = new Set<string>();
  const draw = (first: number, last: number): Appointment => {
    const day = dayAfter(monday, random.between(first, last));
    const start = random.between(0, 4) * 150 + 8 * 60;
    if (taken.has(day + String(start))) return draw(first, last);
    taken.add(day + String(start));
    const invited = random.chance(0.35);
    return {
      ...{ title: pen.topic(), day, start, end: start + random.pick([60, 90, 120]) },
      calendar: random.pick(Object.keys(calendars)),
      place: random.chance(0.6) ? pen.word('place') : '',
      guests: random.shuffle(people).slice(0, random.between(0, 2)).sort(),
      answer: invited ? random.pick(['', '', 'yes', 'maybe'] as const) : 'own',
    };
  };
  const appointments = [
    ...Array.from({ length: random.between(9, 12) }, () => draw(0, 6)),
    ...Array.from({ length: random.between(4, 6) }, () => draw(7, 13)),
    ...Array.from({ length: 2 }, () => draw(-7, -1)),
    ...Array.from({ length: 3 }, () => draw(14, 24)),
  ];
  return {
    today,
    appointments: Object.fromEntries(appointments.map((one, index) => [`a${index + 1}`, one])),
    calendars,
    people,
  };
}

export const calendarApp: App<CalendarApp> = {
  name: 'calendar',
  words: calendarWords,
  layouts: {
    start: ['week', 'month'],
    event: ['filled', 'tinted', 'edged'],
    lines: ['all', 'days'],
    frame: ['card', 'flush'],
  },
  styles: `
.calendar .side{width:116px}
.calendar .side .btn{padding:0 6px;height:32px}
.calendar .side .calendar i{margin-left:auto;flex:none;width:11px;height:11px;border-radius:3px;background:hsl(var(--hue) 60% 50%)}
.calendar .side .tick span{overflow:hidden;text-overflow:ellipsis}
.calendar.bar-accent .bar .now{color:var(--on-accent)}
.calendar .bar{gap:6px}
.calendar .bar .btn{padding:0 8px}
.calendar .bar .btn.icon{padding:0}
.calendar .bar .strong{white-space:nowrap}
.calendar .pane{margin:8px}
.calendar.frame-flush .pane{margin:0;border-radius:0;box-shadow:none}
.calendar .heads{flex:none;display:flex;border-bottom:1px solid var(--line);padding:3px 0}
.calendar .dayhead{flex:1;display:flex;align-items:center;justify-content:center;gap:5px}
.calendar .dayhead.now .strong{background:var(--accent);color:var(--on-accent);border-radius:9px;padding:0 6px}
.calendar .gutter{flex:none;width:42px;position:relative}
.calendar .gutter span{position:absolute;right:5px;transform:translateY(-1px)}
.calendar .hours{flex:1;display:flex;min-height:0}
.calendar .column{flex:1;position:relative;border-left:1px solid var(--line)}
.calendar.lines-all .column{background:repeating-linear-gradient(transparent 0 calc(100%/13 - 1px),var(--line) calc(100%/13 - 1px) calc(100%/13))}
.calendar .event{position:absolute;left:2px;right:2px;padding:1px 4px;border-radius:calc(var(--radius)*.5);overflow:hidden;font-size:.86em;line-height:1.2;cursor:pointer;background:hsl(var(--hue) 52% 38%);color:#fff}
.calendar .event:hover{filter:brightness(1.08)}
.calendar.event-tinted .event{background:hsl(var(--hue) 60% 88%);color:hsl(var(--hue) 60% 20%)}
.calendar.event-edged .event{background:hsl(var(--hue) 45% 93%);color:hsl(var(--hue) 55% 18%);border-left:4px solid hsl(var(--hue) 60% 45%)}
.calendar .event.declined{opacity:.5;text-decoration:line-through}
.calendar .event.asked{outline:1.5px dashed hsl(var(--hue) 60% 45%);outline-offset:-1px}
.calendar .month .heads span{flex:1;text-align:center}
.calendar .weeks{flex:1;display:grid;grid-template-columns:repeat(7,1fr);grid-template-rows:repeat(6,1fr);min-height:0}
.calendar .cell{border-left:1px solid var(--line);border-bottom:1px solid var(--line);padding:1px 3px;overflow:hidden;cursor:pointer}
.calendar .cell:hover{background:color-mix(in srgb,var(--tint) 40%,transparent)}
.calendar .cell.outside{background:var(--soft);color:var(--muted)}
.calendar .cell.now>.number{background:var(--accent);color:var(--on-accent);border-radius:7px;padding:0 5px}
.calendar .cell .number{display:inline-block;line-height:1.15}
.calendar .cell .event{position:static;white-space:nowrap;text-overflow:ellipsis;margin-bottom:1px;height:17px}
.calendar .dialog .face{width:24px;height:24px;font-size:10px}
.calendar .days{padding:8px;width:230px}
.calendar .days .grid{display:grid;grid-template-columns:repeat(7,1fr)}
.calendar .days .grid span{text-align:center;padding:3px 0;border-radius:4px;cursor:pointer}
.calendar .days .grid span:hover{background:var(--tint)}
.calendar .days .grid .on{background:var(--accent);color:var(--on-accent)}
.calendar .guests{flex-wrap:wrap;gap:5px}
.calendar .guests .chip .ico{width:10px;height:10px}
`,
  draw: drawStore,
  templates: calendarTemplates,
};
