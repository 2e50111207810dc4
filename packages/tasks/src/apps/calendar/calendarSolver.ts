import type { SolvedTurn } from '../../family/pageVerifier.js';
import { dayText, timeText } from '../data/day.js';
import type { Kit } from '../page/kit.js';
import { type Appointment, type CalendarApp, firstHour, lastHour, weekOf } from './calendarStore.js';

type CalendarKit = Kit<CalendarApp>;

const facts = ['title', 'day', 'start', 'end', 'calendar', 'place'] as const;

export function solveCalendar(kit: CalendarKit): SolvedTurn | undefined {
  const { store, goal } = kit;
  for (const id of Object.keys(store.appointments)) {
    const [current, aim] = [store.appointments[id]!, goal.appointments[id]];
    if (id.startsWith('new')) {
      if (!Object.values(goal.appointments).some((wanted) => same(current, wanted))) return remove(kit, id);
      continue;
    }
    if (!aim) return remove(kit, id);
    if (current.answer !== aim.answer)
      return openDetails(kit, id) ?? kit.press(`answer-${aim.answer}`, 'this is the answer');
    const wrong = facts.filter((fact) => current[fact] !== aim[fact]);
    if (wrong.length === 0 && current.guests.join() === aim.guests.join()) continue;
    return drag(kit, id, current, aim, wrong) ?? fill(kit, id, aim);
  }
  const missing = Object.values(goal.appointments).find(
    (aim) => !Object.values(store.appointments).some((one) => same(one, aim)),
  );
  if (missing) return fill(kit, '', missing);
  const calendar = Object.keys(goal.calendars).find((id) => goal.calendars[id]?.shown !== store.calendars[id]?.shown);
  const name = store.calendars[calendar ?? '']?.name;
  return calendar ? (clear(kit) ?? kit.press(`calendar-${calendar}`, `"${name}" is the one`)) : undefined;
}

const same = (a: Appointment, b: Appointment) =>
  facts.every((fact) => a[fact] === b[fact]) && a.guests.join() === b.guests.join();

export function lookCalendar(kit: CalendarKit, { id, day }: { id?: string; day?: string }): SolvedTurn | undefined {
  return id ? openDetails(kit, id) : goTo(kit, day ?? '');
}

function clear(kit: CalendarKit): SolvedTurn | undefined {
  if (kit.ui.form) return kit.press('form-cancel', 'this form is not needed');
  return kit.ui.open ? kit.press('close', 'this is not the one') : undefined;
}

function goTo(kit: CalendarKit, day: string): SolvedTurn | undefined {
  const { ui, scene } = kit;
  const away = clear(kit);
  if (away) return away;
  const text = dayText(day, scene.language);
  if (ui.view === 'month') {
    if (kit.has(`number-${day}`)) return kit.press(`number-${day}`, `${text} is here`);
    return kit.press(day < ui.day ? 'previous' : 'next', `${text} is in another month`);
  }
  if (weekOf(ui.day).includes(day)) return undefined;
  return kit.press(day < ui.day ? 'previous' : 'next', `${text} is in another week`);
}

function openDetails(kit: CalendarKit, id: string): SolvedTurn | undefined {
  const { store, ui } = kit;
  const appointment = store.appointments[id]!;
  if (ui.open === id && !ui.form) return undefined;
  if (!store.calendars[appointment.calendar]?.shown) {
    return clear(kit) ?? kit.press(`calendar-${appointment.calendar}`, 'its calendar is hidden');
  }
  return goTo(kit, appointment.day) ?? kit.press(`event-${id}`, `open "${appointment.title}"`);
}

function remove(kit: CalendarKit, id: string): SolvedTurn {
  return openDetails(kit, id) ?? kit.press('delete', `"${kit.store.appointments[id]?.title}" has to go`);
}

/** Drags the appointment if only day and time are wrong and both days are in one week. */
function drag(
  kit: CalendarKit,
  id: string,
  current: Appointment,
  aim: Appointment,
  wrong: readonly string[],
): SolvedTurn | undefined {
  const { store, ui } = kit;
  const isMove =
    wrong.every((fact) => ['day', 'start', 'end'].includes(fact)) && current.guests.join() === aim.guests.join();
  if (!isMove || aim.end - aim.start !== current.end - current.start || !weekOf(current.day).includes(aim.day))
    return undefined;
  if (!store.calendars[current.calendar]?.shown || ui.form?.id === id) return undefined;
  if (aim.start < firstHour * 60 || aim.end > lastHour * 60) return undefined;
  const there = goTo(kit, current.day);
  if (there) return there;
  const column = kit.find(`day-${aim.day}`)!.getBoundingClientRect();
  const thought = `"${current.title}" moves to ${dayText(aim.day, kit.scene.language)}, ${timeText(aim.start)}`;
  return kit.actOn(`event-${id}`, thought, (start) => {
    const hour = column.height / (lastHour - firstHour);
    const x = (column.left + column.width / 2) / window.innerWidth;
    return {
      type: 'drag',
      start,
      end: { x, y: start.y + (((aim.start - current.start) / 60) * hour) / window.innerHeight },
    };
  });
}

function fill(kit: CalendarKit, id: string, aim: Appointment): SolvedTurn {
  const { ui, store } = kit;
  const { form } = ui;
  if (form?.id !== id) {
    if (id) return openDetails(kit, id) ?? kit.press('edit', 'it has to change: edit');
    return clear(kit) ?? kit.press('create', `"${aim.title}" is missing: make it`);
  }
  const title = kit.fill('form-title', aim.title, `the title is "${aim.title}"`);
  if (title) return title;
  if (form.day !== aim.day) {
    if (ui.menu !== 'form-day') return kit.press('form-day', 'the day is another one');
    if (kit.has(`form-day-${aim.day}`)) return kit.press(`form-day-${aim.day}`, 'this is the day');
    return kit.press(form.month < aim.day ? 'form-next' : 'form-previous', 'it is in another month');
  }
  const text =
    kit.fill('form-start', timeText(aim.start), 'when it starts') ??
    kit.fill('form-end', timeText(aim.end), 'when it ends') ??
    kit.fill('form-place', aim.place, 'where it is');
  if (text) return text;
  if (form.calendar !== aim.calendar) {
    return kit.choose('form-calendar', aim.calendar, `it belongs to "${store.calendars[aim.calendar]?.name}"`);
  }
  const stray = form.guests.find((guest) => !aim.guests.includes(guest));
  if (stray) return kit.press(`guest-${stray}`, `"${stray}" does not come`);
  const guest = aim.guests.find((one) => !form.guests.includes(one));
  if (guest) return kit.choose('form-guest', guest, `"${guest}" comes as well`);
  return kit.press('form-save', 'all is right: save');
}
