import type { Scene } from '../app.js';
import { dayAfter, dayText, monthAfter, monthText, weekdayText } from '../data/day.js';
import { Button, Icon, Tick, Toast } from '../page/parts.js';
import { runApp } from '../page/runApp.js';
import { Details, Form, newForm } from './calendarForm.js';
import { lookCalendar, solveCalendar } from './calendarSolver.js';
import { type CalendarApp, weekOf } from './calendarStore.js';
import { Month, Week } from './calendarViews.js';

type CalendarScene = Scene<CalendarApp>;

function Side({ store, ui, words }: CalendarScene) {
  return (
    <div class="side">
      <Button name="create" icon="plus" kind="main" press={() => (ui.form = newForm(store, ui.day))}>
        {words.create}
      </Button>
      <div class="head">{words.calendars}</div>
      {Object.entries(store.calendars).map(([id, calendar]) => (
        <div class="across calendar" key={id} style={`--hue:${calendar.hue}`}>
          <Tick name={`calendar-${id}`} on={calendar.shown} press={() => (calendar.shown = !calendar.shown)}>
            {calendar.name}
          </Tick>
          <i />
        </div>
      ))}
    </div>
  );
}

function CalendarView(scene: CalendarScene) {
  const { store, ui, words, language } = scene;
  const by = (steps: number) => (ui.day = ui.view === 'week' ? dayAfter(ui.day, 7 * steps) : monthAfter(ui.day, steps));
  const [monday = '', , , , , , sunday = ''] = weekOf(ui.day);
  return (
    <>
      <div class="bar">
        <div class="brand">
          <Icon name="calendar" />
          {words.app}
        </div>
        <Button name="today" press={() => (ui.day = store.today)}>
          {words.today}
        </Button>
        <Button name="previous" icon="back" kind="quiet" press={() => by(-1)} />
        <Button name="next" icon="next" kind="quiet" press={() => by(1)} />
        <span class="strong">
          {ui.view === 'week'
            ? `${dayText(monday, language)} – ${dayText(sunday, language)}`
            : monthText(ui.day, language)}
        </span>
        <span class="grow" />
        <span class="muted small now">
          {weekdayText((new Date(`${store.today}T00:00:00Z`).getUTCDay() + 6) % 7, language)}{' '}
          {dayText(store.today, language)}
        </span>
        {(['week', 'month'] as const).map((view) => (
          <Button key={view} name={`view-${view}`} kind={ui.view === view ? 'on' : ''} press={() => (ui.view = view)}>
            {words[view]}
          </Button>
        ))}
      </div>
      <div class="body">
        <Side {...scene} />
        {ui.view === 'week' ? <Week {...scene} /> : <Month {...scene} />}
      </div>
      {ui.open in store.appointments && <Details {...scene} />}
      {ui.form && <Form {...scene} />}
      <Toast ui={ui} />
    </>
  );
}

export default runApp<CalendarApp>({
  view: CalendarView,
  ui: ({ store, layout }) => ({
    ...{ view: layout.start === 'month' ? 'month' : 'week', day: store.today, open: '', bad: false, moved: false },
  }),
  solve: solveCalendar,
  look: lookCalendar,
  escape: ({ ui }) => Object.assign(ui, { open: '', form: undefined }),
});
