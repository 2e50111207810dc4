import type { SolvedTurn } from '../../family/pageVerifier.js';
import type { Kit } from '../page/kit.js';
import { type MapApp, type MapPin, type PlaceKind, type Route, layers } from './mapStore.js';

type MapKit = Kit<MapApp>;

/** Identifies an unnamed place, or a question's subject. */
export interface MapHint {
  readonly kind?: PlaceKind;
  readonly best?: boolean;
  readonly place?: string;
  readonly route?: Route;
}

export function solveMap(kit: MapKit): SolvedTurn | undefined {
  const { store, goal, ui } = kit;
  const pin = Object.values(goal.pins).find((aim) => !Object.values(store.pins).some((one) => isSame(one, aim)));
  if (ui.pin && ui.pin.at !== pin?.at) return kit.press('pin-cancel', 'no pin goes here');
  const id = Object.keys(store.places).find((place) => wants(kit, place) !== '');
  if (id) return change(kit, id, wants(kit, id));
  const stray = Object.entries(store.pins).find(([, one]) => !Object.values(goal.pins).some((aim) => isSame(one, aim)));
  if (stray) return list(kit) ?? kit.press(`unpin-${stray[0]}`, `the pin "${stray[1].name}" is not wanted`);
  if (pin) return putPin(kit, pin);
  const layer = layers.find((one) => store.layers[one] !== goal.layers[one]);
  if (layer) return kit.press(`layer-${layer}`, `"${kit.words[layer]}" is the layer`);
  if (JSON.stringify(store.route) !== JSON.stringify(goal.route) && 'from' in goal.route) {
    return fillRoute(kit, goal.route as Route) ?? kit.press('start', 'the way is right: start');
  }
  return undefined;
}

const isSame = (a: MapPin, b: MapPin) => a.name === b.name && a.at === b.at;

export function lookMap(kit: MapKit, { place, route, kind, best }: MapHint): SolvedTurn | undefined {
  if (route) return fillRoute(kit, route);
  if (place && !kind) return openPlace(kit, place);
  return list(kit) ?? narrow(kit, { ...(kind && { kind }), ...(best && { best }) });
}

function wants({ store, goal }: MapKit, id: string): '' | 'save' | 'home' | 'stars' | 'note' {
  if (store.saved.includes(id) !== goal.saved.includes(id)) return 'save';
  if (store.stars[id] !== goal.stars[id] && goal.stars[id]) return 'stars';
  if ((store.notes[id] ?? '') !== (goal.notes[id] ?? '')) return 'note';
  return store.home !== goal.home && (goal.home === id || (goal.home === '' && store.home === id)) ? 'home' : '';
}

function change(kit: MapKit, id: string, field: ReturnType<typeof wants>): SolvedTurn {
  const open = openPlace(kit, id);
  if (open) return open;
  const { goal } = kit;
  const name = kit.store.places[id]?.name;
  if (field === 'stars') return kit.press(`stars-${goal.stars[id]}`, `"${name}" gets ${goal.stars[id]} stars`);
  if (field === 'note') {
    return kit.fill('note', goal.notes[id] ?? '', 'this is the note') ?? kit.press('note-save', 'save the note');
  }
  return kit.press(field || 'save', `"${name}" is the place`);
}

function list(kit: MapKit): SolvedTurn | undefined {
  const { ui } = kit;
  if (ui.panel === 'search') return undefined;
  return ui.panel === 'saved' ? kit.press('saved', 'back to all places') : kit.press('back', 'back to the list');
}

function narrow(kit: MapKit, { kind, best }: MapHint): SolvedTurn | undefined {
  const { ui, words } = kit;
  if (ui.search) return kit.fill('search', '', 'nothing is to be left out');
  if (kind && ui.kind !== kind) return kit.press(`kind-${kind}`, `only ${words[kind]}`);
  if (best && !ui.sort) return kit.press('best', 'the best first');
  return undefined;
}

function openPlace(kit: MapKit, id: string): SolvedTurn | undefined {
  const { ui, store } = kit;
  if (ui.panel === 'place' && ui.place === id) return undefined;
  const name = store.places[id]?.name ?? '';
  const { kind, best } = (kit.hint ?? {}) as MapHint;
  if (ui.panel === 'saved' && store.saved.includes(id)) return kit.press(`result-${id}`, `open "${name}"`);
  const away = list(kit);
  if (kind) return away ?? narrow(kit, { kind, ...(best && { best }) }) ?? kit.press(`result-${id}`, `open "${name}"`);
  if (!away && ui.search !== name && ui.search === '' && !ui.kind && isSeen(kit, `place-${id}`)) {
    return kit.press(`place-${id}`, `"${name}" is on the map: open it`);
  }
  return kit.fill('search', name, `look for "${name}"`) ?? kit.press(`result-${id}`, `open "${name}"`);
}

function isSeen(kit: MapKit, name: string): boolean {
  const dot = kit.find(name)?.querySelector('circle') ?? kit.find(name);
  const [frame, rect] = [kit.find('city')?.getBoundingClientRect(), dot?.getBoundingClientRect()];
  if (!frame || !rect) return false;
  const [x, y] = [(rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2];
  const margin = 12;
  if (x < frame.left + margin || x > frame.right - margin || y < frame.top + margin || y > frame.bottom - margin)
    return false;
  const whole = kit.find(name)?.getBoundingClientRect();
  const hit = whole && document.elementFromPoint((whole.left + whole.right) / 2, (whole.top + whole.bottom) / 2);
  return Boolean(hit && kit.find(name)?.contains(hit));
}

function putPin(kit: MapKit, pin: MapPin): SolvedTurn {
  const { ui, words } = kit;
  if (ui.pin) return kit.fill('pin-name', pin.name, 'the pin gets a name') ?? kit.press('pin-done', 'add it');
  const name = `crossing-${pin.at}`;
  if (isSeen(kit, name)) return kit.context(name, `here is the crossing: ${words.pin}`);
  const frame = kit.find('city')!.getBoundingClientRect();
  const rect = kit.find(name)!.getBoundingClientRect();
  const middle = { x: (frame.left + frame.right) / 2, y: (frame.top + frame.bottom) / 2 };
  const far = { x: (rect.left + rect.right) / 2 - middle.x, y: (rect.top + rect.bottom) / 2 - middle.y };
  if (Math.abs(far.x) < frame.width / 2 - 12 && Math.abs(far.y) < frame.height / 2 - 12 && ui.zoom < 3) {
    return kit.press('zoom-in', 'something lies over it: zoom in');
  }
  const maxShift = { x: frame.width * 0.4, y: frame.height * 0.4 };
  const by = {
    x: Math.max(-maxShift.x, Math.min(maxShift.x, far.x)),
    y: Math.max(-maxShift.y, Math.min(maxShift.y, far.y)),
  };
  const toPoint = (x: number, y: number) => ({ x: x / window.innerWidth, y: y / window.innerHeight });
  return {
    thought: 'the crossing is not in sight: drag the map',
    actions: [
      {
        type: 'drag',
        start: toPoint(middle.x + by.x / 2, middle.y + by.y / 2),
        end: toPoint(middle.x - by.x / 2, middle.y - by.y / 2),
      },
    ],
  };
}

function fillRoute(kit: MapKit, aim: Route): SolvedTurn | undefined {
  const { ui, store, words } = kit;
  const { form } = ui;
  const nameOf = (id: string) => `"${store.places[id]?.name}"`;
  if (ui.panel !== 'route') return kit.press('route', `go to ${words.directions}`);
  if (form.from !== aim.from) return kit.choose('form-from', aim.from, `from ${nameOf(aim.from)}`);
  const stray = form.stops.find((stop, index) => aim.stops[index] !== stop);
  if (stray) return kit.press(`stop-${stray}`, 'this stop is not wanted');
  const stop = aim.stops[form.stops.length];
  if (stop) return kit.choose('form-stop', stop, `over ${nameOf(stop)}`);
  if (form.to !== aim.to) return kit.choose('form-to', aim.to, `to ${nameOf(aim.to)}`);
  if (form.mode !== aim.mode) return kit.press(`mode-${aim.mode}`, `"${words[aim.mode]}"`);
  return undefined;
}
