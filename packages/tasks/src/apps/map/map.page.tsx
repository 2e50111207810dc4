import type { Scene } from '../app.js';
import { on } from '../page/elementHandlers.js';
import { Button, Dialog, Field, Find, Icon, Toast } from '../page/parts.js';
import { runApp } from '../page/runApp.js';
import { City } from './mapCity.js';
import { PlacePanel, RoutePanel } from './mapPanels.js';
import { lookMap, solveMap } from './mapSolver.js';
import { type MapApp, addPin, emptyRoute, kinds, openPlace, placesOf } from './mapStore.js';

type MapScene = Scene<MapApp>;

function Places(scene: MapScene) {
  const { store, ui, words } = scene;
  const places = ui.panel === 'saved' ? store.saved : placesOf(store, ui);
  return (
    <>
      {ui.panel === 'search' && (
        <div class="across kinds">
          {kinds.map((kind) => (
            <Button
              key={kind}
              name={`kind-${kind}`}
              kind={ui.kind === kind ? 'on' : ''}
              press={() => (ui.kind = ui.kind === kind ? '' : kind)}
            >
              {words[kind]}
            </Button>
          ))}
          <Button name="best" icon="sort" kind={ui.sort ? 'on' : ''} press={() => (ui.sort = !ui.sort)}>
            {words.best}
          </Button>
        </div>
      )}
      <div class="scroll" key={`${ui.panel}${ui.kind}${ui.sort}${ui.search}`}>
        {places.map((id) => {
          const place = store.places[id];
          return (
            place && (
              <div class="row" key={id} {...on(`result-${id}`, { press: () => openPlace(scene, id) })}>
                <i class={`dot ${place.kind}`} />
                <div class="grow">
                  <div class="cut strong">{place.name}</div>
                  <div class="cut small muted">{words[place.kind]}</div>
                </div>
                <span class="small stars">
                  <Icon name="star" full />
                  {(place.rating / 10).toFixed(1)}
                </span>
              </div>
            )
          );
        })}
        <div class="head">{Object.values(store.pins).length > 0 && words.pin}</div>
        {Object.entries(store.pins).map(([id, pin]) => (
          <div class="row" key={id}>
            <Icon name="pin" />
            <span class="grow cut">{pin.name}</span>
            <Button name={`unpin-${id}`} icon="close" kind="quiet" press={() => delete store.pins[id]} />
          </div>
        ))}
      </div>
    </>
  );
}

function MapView(scene: MapScene) {
  const { store, ui, words } = scene;
  const { pin } = ui;
  const finish = () => {
    if (pin?.name.trim()) addPin(store, pin.name, pin.at);
    ui.pin = undefined;
  };
  return (
    <>
      <div class="bar">
        <div class="brand">
          <Icon name="pin" />
          {words.app}
        </div>
        <Find
          name="search"
          hint={words.search}
          value={ui.search}
          type={(search) => Object.assign(ui, { search, panel: 'search', kind: '' })}
        />
        <span class="grow" />
        <Button
          name="route"
          icon="route"
          kind={`quiet ${ui.panel === 'route' ? 'on' : ''}`}
          press={() => (ui.panel = 'route')}
        >
          {words.directions}
        </Button>
        <Button
          name="saved"
          icon="star"
          kind={`quiet ${ui.panel === 'saved' ? 'on' : ''}`}
          press={() => (ui.panel = ui.panel === 'saved' ? 'search' : 'saved')}
        >
          {words.saved}
        </Button>
      </div>
      <div class="body">
        <div class="side">
          {ui.panel === 'place' ? (
            <PlacePanel {...scene} />
          ) : ui.panel === 'route' ? (
            <RoutePanel {...scene} />
          ) : (
            <Places {...scene} />
          )}
        </div>
        <City {...scene} />
      </div>
      {pin && (
        <Dialog title={words.pin}>
          <span class="muted">
            {store.across[Number(pin.at.split('/')[0])]?.name} / {store.down[Number(pin.at.split('/')[1])]?.name}
          </span>
          <Field
            name="pin-name"
            hint={words.pinName}
            value={pin.name}
            type={(name) => (pin.name = name)}
            enter={finish}
          />
          <div class="end">
            <Button name="pin-cancel" press={() => (ui.pin = undefined)}>
              {words.cancel}
            </Button>
            <Button name="pin-done" kind="main" press={finish}>
              {words.done}
            </Button>
          </div>
        </Dialog>
      )}
      <Toast ui={ui} />
    </>
  );
}

export default runApp<MapApp>({
  view: MapView,
  ui: () => ({
    ...{
      x: 500,
      y: 500,
      zoom: 1,
      panel: 'search',
      place: '',
      search: '',
      kind: '',
      sort: false,
      note: '',
      moved: false,
    },
    form: emptyRoute(),
  }),
  solve: solveMap,
  look: lookMap,
  escape: ({ ui }) => void (ui.pin = undefined),
});
