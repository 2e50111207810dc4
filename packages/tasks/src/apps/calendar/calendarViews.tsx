import type { Scene } from '../app.js';
import { dayAfter, mondayOf, timeText, weekdayText } from '../data/day.js';
import { type ElementHandlers, on } from '../page/elementHandlers.js';
import { type CalendarApp, appointmentsOf, firstHour, lastHour, weekOf } from './calendarStore.js';

type CalendarScene = Scene<CalendarApp>;

const hours = lastHour - firstHour;

/** A drag in the week view moves an appointment by half hours and days. */
function handOf({ store, ui }: CalendarScene, id: string): ElementHandlers {
  return {
    press() {
      if (!ui.moved) ui.open = id;
      ui.moved = false;
    },
    down(event) {
      ui.moved = false;
      if (ui.view === 'week') ui.dragged = { id, x: event.clientX, y: event.clientY };
    },
    up(event) {
      const appointment = store.appointments[id];
      const from = ui.dragged;
      ui.dragged = undefined;
      if (!appointment || !from || Math.abs(event.clientX - from.x) + Math.abs(event.clientY - from.y) < 6) return;
      ui.moved = true;
      const column = document
        .elementsFromPoint(event.clientX, event.clientY)
        .find((element): element is HTMLElement => element instanceof HTMLElement && 'day' in element.dataset);
      if (!column) return;
      const halves = Math.round(((event.clientY - from.y) / column.getBoundingClientRect().height) * hours * 2);
      const length = appointment.end - appointment.start;
      appointment.start = Math.max(firstHour * 60, Math.min(lastHour * 60 - length, appointment.start + 30 * halves));
      appointment.end = appointment.start + length;
      appointment.day = column.dataset.day ?? appointment.day;
    },
  };
}

export function Week(scene: CalendarScene) {
  const { store, ui, language } = scene;
  return (
    <div class="pane panel week">
      <div class="heads">
        <span class="gutter" />
        {weekOf(ui.day).map((day, index) => (
          <div class={`dayhead ${day === store.today ? 'now' : ''}`} key={day}>
            <span class="small">{weekdayText(index, language)}</span>
            <span class="strong">{Number(day.slice(8))}</span>
          </div>
        ))}
      </div>
      <div class="hours">
        <div class="gutter">
          {Array.from({ length: hours }, (_, index) => (
            <span class="small muted" key={index} style={`top:${(100 * index) / hours}%`}>
              {timeText((firstHour + index) * 60)}
            </span>
          ))}
        </div>
        {weekOf(ui.day).map((day) => (
          <div class="column" key={day} data-day={day} data-name={`day-${day}`}>
            {appointmentsOf(store, day).map(([id, appointment]) => (
              <div
                key={id}
                class={`event ${appointment.answer === 'no' ? 'declined' : appointment.answer === '' ? 'asked' : ''}`}
                style={`--hue:${store.calendars[appointment.calendar]?.hue};top:${(100 * (appointment.start / 60 - firstHour)) / hours}%;height:${(100 * (appointment.end - appointment.start)) / 60 / hours}%`}
                {...on(`event-${id}`, handOf(scene, id))}
              >
                {appointment.title}
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

export function Month(scene: CalendarScene) {
  const { store, ui, language } = scene;
  const first = mondayOf(`${ui.day.slice(0, 7)}-01`);
  return (
    <div class="pane panel month">
      <div class="heads">
        {Array.from({ length: 7 }, (_, index) => (
          <span class="small muted" key={index}>
            {weekdayText(index, language)}
          </span>
        ))}
      </div>
      <div class="weeks">
        {Array.from({ length: 42 }, (_, index) => dayAfter(first, index)).map((day) => {
          const appointments = appointmentsOf(store, day);
          return (
            <div
              class={`cell ${day === store.today ? 'now' : ''} ${day.slice(0, 7) === ui.day.slice(0, 7) ? '' : 'outside'}`}
              key={day}
              {...on(`cell-${day}`, { press: () => Object.assign(ui, { day, view: 'week' }) })}
            >
              <span
                class="small number"
                {...on(`number-${day}`, { press: () => Object.assign(ui, { day, view: 'week' }) })}
              >
                {Number(day.slice(8))}
              </span>
              {appointments.slice(0, 2).map(([id, appointment]) => (
                <div
                  key={id}
                  class="event"
                  style={`--hue:${store.calendars[appointment.calendar]?.hue}`}
                  {...on(`event-${id}`, { press: () => (ui.open = id) })}
                >
                  {appointment.title}
                </div>
              ))}
              {appointments.length > 2 && <span class="small muted">+{appointments.length - 2}</span>}
            </div>
          );
        })}
      </div>
    </div>
  );
}
