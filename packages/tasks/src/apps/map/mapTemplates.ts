import type { Draft, Template } from '../appFamily.js';
import {
  type MapApp,
  type MapPlace,
  type MapStore,
  type PlaceKind,
  type Route,
  addPin,
  kindNames,
  kinds,
  layers,
  minutesFor,
  modes,
  toggleSaved,
} from './mapStore.js';

type MapDraft = Draft<MapApp>;

const pick = ({ random, store }: MapDraft, fits: (place: MapPlace, id: string) => boolean = () => true) => {
  const candidates = Object.entries(store.places).filter(([id, place]) => fits(place, id));
  return candidates.length > 0 ? random.pick(candidates) : undefined;
};

const nameIn = ({ places }: MapStore, id: string) => places[id]?.name ?? '';

const several = ({ random, store }: MapDraft, count: number) =>
  random.shuffle(Object.keys(store.places)).slice(0, count);

const best = (all: readonly [string, MapPlace][]) =>
  all.reduce((first, next) => (next[1].rating > first[1].rating ? next : first));

const ofKind = ({ store }: MapDraft, kind: string) =>
  Object.entries(store.places).filter(([, place]) => place.kind === kind);

/** Changes kinds until there are `count` places of one: the city draws two or three of each. */
function recast({ random, store, language }: MapDraft, kind: PlaceKind, count: number): boolean {
  const names = new Set(Object.values(store.places).map(({ name }) => name));
  const endings = kindNames[language];
  const [inside, outside] = [true, false].map((isInside) =>
    random.shuffle(Object.values(store.places).filter((place) => (place.kind === kind) === isInside)),
  ) as [MapPlace[], MapPlace[]];
  let missing = count - inside.length;
  for (const place of missing < 0 ? inside : outside) {
    if (missing === 0) break;
    const next = missing < 0 ? random.pick(kinds.filter((each) => each !== kind)) : kind;
    const name = place.name.slice(0, -endings[place.kind].length) + endings[next];
    if (names.has(name)) continue;
    names.add(name);
    Object.assign(place, { kind: next, name });
    missing -= Math.sign(missing);
  }
  return missing === 0;
}

const maxOfKind = 6;

export const mapTemplates: readonly Template<MapApp>[] = [
  {
    name: 'layer',
    description: 'Show or hide a layer of the map.',
    difficulty: 1,
    steps: 2,
    en: [
      'Turn the layer {layer} [way].',
      'Switch {layer} [way] on the map.',
      'The map should have the layer {layer} [way].',
    ],
    zh: ['把图层{layer}[way]。', '在地图上将{layer}[way]。', '请[way]地图的{layer}图层。'],
    make({ random, store, words, language }) {
      const layer = random.pick(layers);
      const isOn = store.layers[layer];
      return {
        texts: { layer: words[layer], way: language === 'en' ? (isOn ? 'off' : 'on') : isOn ? '关闭' : '打开' },
        goal: (aim) => (aim.layers[layer] = !isOn),
      };
    },
  },
  {
    name: 'save',
    description: 'Save a place.',
    difficulty: 2,
    steps: 6,
    en: ['Save the place {place}.', 'Put {place} among the saved places.', 'Remember {place}: save it.'],
    zh: ['收藏地点{place}。', '把{place}加入收藏。', '记住{place}，请收藏它。'],
    make(draft) {
      const [id, place] = pick(draft, (_, one) => !draft.store.saved.includes(one)) ?? [];
      if (!id || !place) return undefined;
      return { texts: { place: place.name }, goal: (store) => toggleSaved(store, id) };
    },
  },
  {
    name: 'unsave',
    description: 'Remove a saved place.',
    difficulty: 2,
    steps: 6,
    en: ['Take {place} off the saved places.', '{place} need not be saved any more.', 'Remove {place} from {saved}.'],
    zh: ['取消收藏{place}。', '{place}不用再收藏了。', '把{place}从{saved}中去掉。'],
    make({ random, store, words }) {
      const id = random.pick(store.saved);
      return { texts: { place: nameIn(store, id), saved: words.saved }, goal: (aim) => toggleSaved(aim, id) };
    },
  },
  {
    name: 'home',
    description: 'Set a place as home.',
    difficulty: 2,
    steps: 6,
    en: ['Set {place} as home.', 'You live at {place} now: make it your home on the map.', 'Make {place} the home.'],
    zh: ['把{place}设为家。', '你现在住在{place}：在地图上设为家。', '将{place}设为住址。'],
    make(draft) {
      const [id, place] = pick(draft) ?? [];
      if (!id || !place) return undefined;
      return { texts: { place: place.name }, goal: (store) => (store.home = id) };
    },
  },
  {
    name: 'rate',
    description: 'Rate a place.',
    difficulty: 2,
    steps: 6,
    en: [
      'Give {place} [stars] stars.',
      'Rate {place} with [stars] stars.',
      'Your rating of {place} is [stars] stars: enter it.',
    ],
    zh: ['给{place}打[stars]星。', '为{place}评[stars]星。', '你对{place}的评分是[stars]星，请填写。'],
    make(draft) {
      const [id, place] = pick(draft) ?? [];
      if (!id || !place) return undefined;
      const stars = draft.random.between(1, 5);
      return { texts: { place: place.name, stars }, goal: (store) => (store.stars[id] = stars) };
    },
  },
  {
    name: 'note',
    description: 'Add a note to a place.',
    difficulty: 3,
    steps: 8,
    en: [
      'Add the note {text} to {place}.',
      'Write {text} as your note to {place} and save it.',
      '{place} gets the note {text}.',
    ],
    zh: ['给{place}添加备注{text}。', '在{place}的备注里写{text}并保存。', '{place}的备注应为{text}。'],
    make(draft) {
      const [id, place] = pick(draft) ?? [];
      if (!id || !place) return undefined;
      const text = draft.pen.note();
      return { texts: { place: place.name, text }, goal: (store) => (store.notes[id] = text) };
    },
  },
  {
    name: 'bestOfKind',
    description: 'Save the best-rated place of a category.',
    difficulty: 3,
    steps: 6,
    en: [
      'Save the best rated place of {kind}.',
      'Of all {kind}, save the one with the best rating.',
      'Which of {kind} has the best rating? Save it.',
    ],
    zh: ['收藏{kind}中评分最高的地点。', '在所有{kind}里，收藏评分最高的。', '{kind}里哪个评分最高？请收藏。'],
    make(draft) {
      const kind = draft.random.pick(kinds);
      const candidates = ofKind(draft, kind);
      if (candidates.length < 2) return undefined;
      const [id] = best(candidates);
      if (draft.store.saved.includes(id)) return undefined;
      return {
        texts: { kind: draft.words[kind] },
        goal: (store) => toggleSaved(store, id),
        look: { kind, best: true },
      };
    },
  },
  {
    name: 'saveKind',
    description: 'Save all places of a category.',
    difficulty: 4,
    steps: 12,
    heldOut: true,
    en: ['Save all {kind} that are not saved yet.', 'Every one of {kind} should be among the saved places.'],
    zh: ['收藏所有还没收藏的{kind}。', '{kind}都应在收藏里。'],
    make(draft) {
      const kind = draft.random.pick(kinds);
      const candidates = ofKind(draft, kind).filter(([id]) => !draft.store.saved.includes(id));
      if (candidates.length < 2) return undefined;
      return {
        texts: { kind: draft.words[kind] },
        goal: (store) => candidates.forEach(([id]) => toggleSaved(store, id)),
        look: { kind },
      };
    },
  },
  {
    name: 'pin',
    description: 'Pin the intersection of two streets.',
    difficulty: 4,
    steps: 9,
    en: [
      'Add a pin {name} at the crossing of {across} and {down} with the right mouse button.',
      'Where {across} meets {down}, add a pin called {name} (right click).',
    ],
    zh: ['在{across}和{down}的交叉口用鼠标右键添加标记{name}。', '在{across}与{down}相交处右键添加名为{name}的标记。'],
    make({ pen, random, store }) {
      const [row, column] = [random.between(0, 3), random.between(0, 3)];
      const name = pen.topic();
      return {
        texts: { name, across: store.across[row]?.name ?? '', down: store.down[column]?.name ?? '' },
        goal: (aim) => addPin(aim, name, `${row}/${column}`),
      };
    },
  },
  {
    name: 'route',
    description: 'Start a route from one place to another.',
    difficulty: 3,
    steps: 8,
    en: [
      'Start the route from {from} to {to}, {mode}.',
      'Get directions from {from} to {to} ({mode}) and start.',
      'Go from {from} to {to}: choose {mode} and start the route.',
    ],
    zh: [
      '开始从{from}到{to}的路线，方式{mode}。',
      '查询从{from}到{to}（{mode}）的路线并开始。',
      '从{from}去{to}：选择{mode}并开始。',
    ],
    make(draft) {
      const [from = '', to = ''] = several(draft, 2);
      const mode = draft.random.pick(modes);
      return {
        texts: { from: nameIn(draft.store, from), to: nameIn(draft.store, to), mode: draft.words[mode] },
        goal: (store) => (store.route = { from, to, stops: [], mode }),
      };
    },
  },
  {
    name: 'routeOver',
    description: 'Start a route with a stop.',
    difficulty: 4,
    steps: 10,
    heldOut: true,
    en: [
      'Start the route from {from} over {stop} to {to}, {mode}.',
      'Go from {from} to {to} with a stop at {stop}; choose {mode} and start.',
    ],
    zh: ['开始从{from}经{stop}到{to}的路线，方式{mode}。', '从{from}去{to}，途经{stop}；选择{mode}并开始。'],
    make(draft) {
      const [from = '', to = '', stop = ''] = several(draft, 3);
      const mode = draft.random.pick(modes);
      const { store, words } = draft;
      return {
        texts: { from: nameIn(store, from), to: nameIn(store, to), stop: nameIn(store, stop), mode: words[mode] },
        goal: (aim) => (aim.route = { from, to, stops: [stop], mode }),
      };
    },
  },
  {
    name: 'tellPhone',
    description: 'Report the phone number of a place.',
    difficulty: 2,
    steps: 6,
    en: [
      'What is the telephone number of {place}?',
      'Answer with the telephone number of {place}.',
      'Look up the number of {place}.',
    ],
    zh: ['{place}的电话是多少？', '请回答{place}的电话号码。', '查一下{place}的电话。'],
    make(draft) {
      const [id, place] = pick(draft) ?? [];
      if (!id || !place) return undefined;
      return { texts: { place: place.name }, answer: place.phone, look: { place: id } };
    },
  },
  {
    name: 'tellTime',
    description: 'Report how long a route takes.',
    difficulty: 3,
    steps: 8,
    chance: 0.1,
    en: [
      'How many minutes does it take from {from} to {to}, {mode}? Do not start the route.',
      'Answer with the minutes for the way from {from} to {to} ({mode}).',
    ],
    zh: ['从{from}到{to}，{mode}需要多少分钟？不要开始导航。', '请回答从{from}到{to}（{mode}）所需的分钟数。'],
    make(draft) {
      const [from = '', to = ''] = several(draft, 2);
      const route: Route = { from, to, stops: [], mode: draft.random.pick(modes) };
      const { store, words } = draft;
      return {
        texts: { from: nameIn(store, from), to: nameIn(store, to), mode: words[route.mode] },
        answer: minutesFor(store, route),
        look: { route },
      };
    },
  },
  {
    name: 'countKind',
    description: 'Report how many places of a category there are.',
    difficulty: 2,
    steps: 3,
    chance: 0.2,
    en: ['How many {kind} does the map list? Answer with the number.', 'Count the {kind} on the map.'],
    zh: ['地图上有多少个{kind}？请回答数字。', '数一数地图上的{kind}。'],
    make(draft) {
      const kind = draft.random.pick(kinds);
      const count = draft.random.between(1, maxOfKind);
      return recast(draft, kind, count)
        ? { texts: { kind: draft.words[kind] }, answer: count, look: { kind } }
        : undefined;
    },
  },
  {
    name: 'trip',
    description: 'Set home, a saved place, a note, a pin, a layer and a route with two stops.',
    difficulty: 5,
    steps: 36,
    en: [
      'Plan a trip: set {home} as home, save {saved}, add the note {text} to {saved}, add a pin {name} where {across} meets {down} (right click), turn {layer} [way], and start the route from {home} over {stop} to {saved}, {mode}.',
      '{home} is home. {saved} is to be saved with the note {text}. A pin {name} goes on the crossing of {across} and {down} by a right click; the layer {layer} is to be [way]. In the end start the route {home}, {stop}, {saved}, {mode}.',
    ],
    zh: [
      '规划行程：把{home}设为家，收藏{saved}并添加备注{text}，在{across}与{down}相交处右键添加标记{name}，{layer}图层[way]，最后开始从{home}经{stop}到{saved}的路线，方式{mode}。',
      '{home}是家。收藏{saved}，备注{text}。在{across}和{down}交叉口右键添加标记{name}；{layer}图层要[way]。最后开始路线：{home}、{stop}、{saved}，{mode}。',
    ],
    make(draft) {
      const { pen, random, store, words, language } = draft;
      const [home = '', saved = '', stop = ''] = several(draft, 3);
      if (store.saved.includes(saved)) return undefined;
      const [row, column] = [random.between(0, 3), random.between(0, 3)];
      const [text, name, layer, mode] = [pen.note(), pen.topic(), random.pick(layers), random.pick(modes)];
      const isOn = store.layers[layer];
      return {
        texts: {
          ...{ home: nameIn(store, home), saved: nameIn(store, saved), stop: nameIn(store, stop), text, name },
          ...{ across: store.across[row]?.name ?? '', down: store.down[column]?.name ?? '' },
          ...{ layer: words[layer], mode: words[mode] },
          way: language === 'en' ? (isOn ? 'off' : 'on') : isOn ? '关闭' : '打开',
        },
        goal(aim) {
          aim.home = home;
          toggleSaved(aim, saved);
          aim.notes[saved] = text;
          addPin(aim, name, `${row}/${column}`);
          aim.layers[layer] = !isOn;
          aim.route = { from: home, to: saved, stops: [stop], mode };
        },
      };
    },
  },
];
