import type { Scene } from '../app.js';
import { on } from '../page/elementHandlers.js';
import { Button, Drop, Field, Icon } from '../page/parts.js';
import { type MapApp, minutesFor, modes, toggleSaved } from './mapStore.js';

type MapScene = Scene<MapApp>;

export function PlacePanel({ store, ui, words }: MapScene) {
  const id = ui.place;
  const place = store.places[id];
  if (!place) return null;
  const isSaved = store.saved.includes(id);
  const isHome = store.home === id;
  return (
    <div class="down details">
      <Button name="back" icon="back" kind="quiet" press={() => (ui.panel = 'search')}>
        {words.back}
      </Button>
      <div>
        <div class="title">{place.name}</div>
        <div class="across small muted">
          {words[place.kind]} <Icon name="star" full /> {(place.rating / 10).toFixed(1)}
        </div>
      </div>
      <div class="small">
        {place.street}
        <br />
        {words.phone}: {place.phone}
      </div>
      <div class="across">
        <Button name="save" icon="star" full={isSaved} kind={isSaved ? 'on' : ''} press={() => toggleSaved(store, id)}>
          {isSaved ? words.unsave : words.save}
        </Button>
        <Button name="home" icon="home" kind={isHome ? 'on' : ''} press={() => (store.home = isHome ? '' : id)}>
          {isHome ? words.isHome : words.home}
        </Button>
      </div>
      <Button
        name="route-to"
        icon="route"
        kind="main"
        press={() => {
          ui.form.to = id;
          ui.panel = 'route';
        }}
      >
        {words.directions}
      </Button>
      <div>
        <span class="label">{words.rate}</span>
        <div class="across rate">
          {[1, 2, 3, 4, 5].map((stars) => (
            <span
              key={stars}
              class={(store.stars[id] ?? 0) >= stars ? 'on' : ''}
              {...on(`stars-${stars}`, { press: () => (store.stars[id] = stars) })}
            >
              <Icon name="star" full={(store.stars[id] ?? 0) >= stars} />
            </span>
          ))}
        </div>
      </div>
      <div>
        <span class="label">{words.note}</span>
        <Field name="note" lines={2} value={ui.note} type={(text) => (ui.note = text)} />
      </div>
      <Button
        name="note-save"
        press={() => {
          if (ui.note.trim()) store.notes[id] = ui.note.trim();
          else delete store.notes[id];
        }}
      >
        {words.keep}
      </Button>
    </div>
  );
}

export function RoutePanel({ store, ui, words }: MapScene) {
  const { form } = ui;
  const options = Object.entries(store.places)
    .map(([key, { name }]) => ({ key, text: name }))
    .sort((a, b) => (a.text < b.text ? -1 : 1));
  const nameOf = (id: string) => store.places[id]?.name ?? words.choose;
  const isWhole = form.from !== '' && form.to !== '' && form.from !== form.to;
  return (
    <div class="down details">
      <Button name="back" icon="back" kind="quiet" press={() => (ui.panel = 'search')}>
        {words.back}
      </Button>
      <div class="title">{words.directions}</div>
      <div>
        <span class="label">{words.from}</span>
        <Drop name="form-from" ui={ui} options={options} choose={(id) => (form.from = id)}>
          {nameOf(form.from)}
        </Drop>
      </div>
      {form.stops.map((stop, index) => (
        <div class="across" key={stop}>
          <span class="chip grow">{nameOf(stop)}</span>
          <Button name={`stop-${stop}`} icon="close" kind="quiet" press={() => form.stops.splice(index, 1)} />
        </div>
      ))}
      <Drop name="form-stop" ui={ui} options={options} choose={(id) => form.stops.includes(id) || form.stops.push(id)}>
        {words.addStop}
      </Drop>
      <div>
        <span class="label">{words.to}</span>
        <Drop name="form-to" ui={ui} options={options} choose={(id) => (form.to = id)}>
          {nameOf(form.to)}
        </Drop>
      </div>
      <div class="across modes">
        {modes.map((mode) => (
          <Button
            key={mode}
            name={`mode-${mode}`}
            kind={form.mode === mode ? 'on' : ''}
            press={() => (form.mode = mode)}
          >
            {words[mode]}
          </Button>
        ))}
      </div>
      {isWhole && (
        <div class="across">
          <span class="title">
            {minutesFor(store, form)} {words.minutes}
          </span>
          <span class="grow" />
          <Button name="start" kind="main" press={() => (store.route = { ...form, stops: [...form.stops] })}>
            {words.start}
          </Button>
        </div>
      )}
    </div>
  );
}
