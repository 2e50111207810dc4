import type { Scene } from '../app.js';
import { dayAfter, dayText, mondayOf, monthAfter, monthText, timeText, weekdayOf, weekdayText } from '../data/day.js';
import { on } from '../page/elementHandlers.js';
import { Button, Dialog, Drop, Face, Icon, Labelled } from '../page/parts.js';
import {
  type Appointment,
  type CalendarApp,
  type CalendarForm,
  type CalendarStore,
  answers,
  saveForm,
} from './calendarStore.js';

type CalendarScene = Scene<CalendarApp>;

export const newForm = ({ calendars }: CalendarStore, day: string): CalendarForm => ({
  ...{ id: '', title: '', day, month: day, start: '', end: '', place: '', guests: [] },
  calendar: Object.keys(calendars)[0] ?? '',
});

const formOf = (id: string, appointment: Appointment): CalendarForm => ({
  ...{
    id,
    title: appointment.title,
    day: appointment.day,
    month: appointment.day,
    start: timeText(appointment.start),
    end: timeText(appointment.end),
  },
  ...{ calendar: appointment.calendar, place: appointment.place, guests: [...appointment.guests] },
});

export function Details({ store, ui, words, language }: CalendarScene) {
  const appointment = store.appointments[ui.open];
  if (!appointment) return null;
  return (
    <Dialog title={appointment.title}>
      <div class="across">
        <Icon name="clock" />
        {weekdayText(weekdayOf(appointment.day), language)} {dayText(appointment.day, language)},{' '}
        {timeText(appointment.start)}–{timeText(appointment.end)}
      </div>
      <div class="across">
        <Icon name="calendar" />
        {store.calendars[appointment.calendar]?.name}
      </div>
      {appointment.place && (
        <div class="across">
          <Icon name="pin" />
          {appointment.place}
        </div>
      )}
      {appointment.guests.map((guest) => (
        <div class="across" key={guest}>
          <Face person={guest} />
          {guest}
        </div>
      ))}
      {appointment.answer !== 'own' && (
        <div class="across">
          <span class="strong">{words.going}</span>
          {answers.map((answer) => (
            <Button
              key={answer}
              name={`answer-${answer}`}
              kind={appointment.answer === answer ? 'on' : ''}
              press={() => (appointment.answer = answer)}
            >
              {words[answer]}
            </Button>
          ))}
        </div>
      )}
      <div class="end">
        <Button
          name="delete"
          icon="trash"
          press={() => {
            delete store.appointments[ui.open];
            ui.open = '';
          }}
        >
          {words.delete}
        </Button>
        <Button
          name="edit"
          icon="edit"
          press={() => Object.assign(ui, { form: formOf(ui.open, appointment), open: '' })}
        >
          {words.edit}
        </Button>
        <Button name="close" kind="main" press={() => (ui.open = '')}>
          {words.close}
        </Button>
      </div>
    </Dialog>
  );
}

function DayField({ scene, form }: { scene: CalendarScene; form: CalendarForm }) {
  const { ui, language } = scene;
  const first = mondayOf(`${form.month.slice(0, 7)}-01`);
  return (
    <div class="drop">
      <div class="btn" {...on('form-day', { press: () => (ui.menu = ui.menu === 'form-day' ? '' : 'form-day') })}>
        <Icon name="calendar" />
        <span>
          {weekdayText(weekdayOf(form.day), language)} {dayText(form.day, language)}
        </span>
      </div>
      {ui.menu === 'form-day' && (
        <div class="list days">
          <div class="across">
            <Button
              name="form-previous"
              icon="back"
              kind="quiet"
              press={() => (form.month = monthAfter(form.month, -1))}
            />
            <span class="strong grow">{monthText(form.month, language)}</span>
            <Button name="form-next" icon="next" kind="quiet" press={() => (form.month = monthAfter(form.month, 1))} />
          </div>
          <div class="grid">
            {Array.from({ length: 42 }, (_, index) => dayAfter(first, index)).map((day) => (
              <span
                key={day}
                class={`${day === form.day ? 'on' : ''} ${day.slice(0, 7) === form.month.slice(0, 7) ? '' : 'muted'}`}
                {...on(`form-day-${day}`, {
                  press() {
                    form.day = day;
                    ui.menu = '';
                  },
                })}
              >
                {Number(day.slice(8))}
              </span>
            ))}
          </div>
        </div>
      )}
    </div>
  );
}

export function Form(scene: CalendarScene) {
  const { store, ui, words } = scene;
  const { form } = ui;
  if (!form) return null;
  const field = (key: 'title' | 'start' | 'end' | 'place') => (
    <Labelled name={`form-${key}`} label={words[key]} value={form[key]} type={(text) => (form[key] = text)} />
  );
  return (
    <Dialog title={form.id ? words.edit : words.create} wide>
      {field('title')}
      <div class="across">
        <div>
          <span class="label">{words.day}</span>
          <DayField scene={scene} form={form} />
        </div>
        {field('start')}
        {field('end')}
      </div>
      <div class="across">
        {field('place')}
        <div>
          <span class="label">{words.calendar}</span>
          <Drop
            name="form-calendar"
            ui={ui}
            options={Object.entries(store.calendars).map(([key, { name }]) => ({ key, text: name }))}
            choose={(calendar) => (form.calendar = calendar)}
          >
            {store.calendars[form.calendar]?.name}
          </Drop>
        </div>
      </div>
      <div>
        <span class="label">{words.guests}</span>
        <div class="across guests">
          {form.guests.map((guest) => (
            <span
              class="chip"
              key={guest}
              {...on(`guest-${guest}`, { press: () => (form.guests = form.guests.filter((one) => one !== guest)) })}
            >
              {guest} <Icon name="close" />
            </span>
          ))}
          <Drop
            name="form-guest"
            ui={ui}
            place="above"
            options={store.people.filter((one) => !form.guests.includes(one)).map((key) => ({ key, text: key }))}
            choose={(guest) => (form.guests = [...form.guests, guest].sort())}
          >
            {words.addGuest}
          </Drop>
        </div>
      </div>
      {ui.bad && <span class="bad-note">{words.bad}</span>}
      <div class="end">
        <Button name="form-cancel" press={() => Object.assign(ui, { form: undefined, bad: false })}>
          {words.cancel}
        </Button>
        <Button
          name="form-save"
          kind="main"
          press={() => {
            ui.bad = !saveForm(store, form);
            if (ui.bad) return;
            Object.assign(ui, { form: undefined, day: form.day });
          }}
        >
          {words.save}
        </Button>
      </div>
    </Dialog>
  );
}
