import type { App } from '../appFamily.js';
import type { Pen } from '../data/pen.js';
import { type MapApp, type MapPlace, type MapStore, kinds, kindNames } from './mapStore.js';
import { mapTemplates } from './mapTemplates.js';
import { mapWords } from './mapWords.js';

function drawStore(pen: Pen): MapStore {
  const { random, language } = pen;
  const street = () => {
    const drawn = pen.newWord('street');
    return language === 'en' ? `${drawn} St` : `${drawn}路`;
  };
  const spread = (count: number) =>
    Array.from({ length: count }, (_, index) => Math.round(((index + 0.5) * 1000) / count + random.between(-45, 45)));
  const across = spread(4).map((y) => ({ name: street(), y }));
  const down = spread(4).map((x) => ({ name: street(), x }));
  const places: MapPlace[] = [];
  const ratings = random.shuffle(Array.from({ length: 30 }, (_, index) => 21 + index));
  const count = random.between(12, 14);
  const names = new Set<string>();
  for (let attempt = 0; places.length < count && attempt < 4000; attempt++) {
    const [x, y] = [random.between(90, 910), random.between(60, 940)];
    const isNear = places.some((other) => Math.abs(other.x - x) < 105 && Math.abs(other.y - y) < 75);
    const isOnStreet = across.some((one) => Math.abs(one.y - y) < 40) || down.some((one) => Math.abs(one.x - x) < 40);
    if (isNear || isOnStreet) continue;
    const kind = kinds[places.length % kinds.length] ?? 'cafe';
    const word = random.chance(0.5) ? pen.word('quality') : pen.word('place');
    const name = language === 'en' ? `${word} ${kindNames.en[kind]}` : word + kindNames.zh[kind];
    if (names.has(name)) continue;
    names.add(name);
    const rating = ratings[places.length] ?? 30;
    places.push({ name, kind, x, y, rating, phone: `555-${pen.digits(4)}`, street: pen.address() });
  }
  const ids = places.map((_, index) => `p${index + 1}`);
  return {
    places: Object.fromEntries(places.map((place, index) => [`p${index + 1}`, place])),
    ...{ across, down },
    river: Array.from({ length: 9 }, (_, index) => [
      index * 200 - 300,
      Math.round(520 + 230 * Math.sin(index + random.between(0, 2)) + random.between(-60, 60)),
    ]),
    saved: random.shuffle(ids).slice(0, random.between(1, 3)).sort(),
    home: '',
    notes: {},
    stars: {},
    layers: { traffic: random.chance(0.3), transit: random.chance(0.3), terrain: random.chance(0.3) },
    pins: {},
    route: {},
  };
}

export const mapApp: App<MapApp> = {
  name: 'map',
  words: mapWords,
  layouts: {
    ground: ['paper', 'green', 'night'],
    streets: ['thin', 'wide'],
    marks: ['round', 'bold'],
    labels: ['dark', 'accent'],
  },
  styles: `
.map .side{width:216px;padding:0;gap:0;background:var(--card);border-right:1px solid var(--line)}
.map.side-right .side{border-right:0;border-left:1px solid var(--line)}
.map .kinds{flex-wrap:wrap;gap:4px;padding:8px}
.map .kinds .btn{height:24px;padding:0 7px;font-size:.9em}
.map .dot{flex:none;width:11px;height:11px;border-radius:50%;background:currentColor}
.map .cafe{color:#b5651d;fill:#b5651d}.map .park{color:#2f8f46;fill:#2f8f46}.map .museum{color:#7a4bc2;fill:#7a4bc2}
.map .hotel{color:#c2367a;fill:#c2367a}.map .station{color:#2a6fd0;fill:#2a6fd0}
.map .stars{display:inline-flex;align-items:center;gap:3px}
.map .stars .ico,.map .details .muted .ico{width:1em;height:1em;color:#e3a008}
.map .details{padding:9px 11px;gap:9px;align-items:flex-start}
.map .details>div{width:100%}
.map .details .btn{padding:0 9px}
.map .details .rate span{cursor:pointer;color:var(--muted)}
.map .details .rate .on{color:#e3a008}
.map .details .drop .btn{max-width:194px}
.map .details .drop .btn span{overflow:hidden;text-overflow:ellipsis}
.map .details>.btn.quiet{width:auto}
.map .side{position:relative}
.map .details .drop{position:static}
.map .details .list{top:8px;left:8px;right:8px}
.map .details .list .item{min-height:21px;padding:1px 9px}
.map .modes{gap:4px}
.map .frame{position:relative;flex:1;overflow:hidden}
.city{display:block;width:100%;height:100%;cursor:grab}
.city .ground{fill:#e9e6dd}.city .quarter{fill:#f3f1ea;stroke:none}
.city .tone1{fill:#efece2}.city .tone3{fill:#dfead5}.city .tone5{fill:#f1e9e4}
.map.ground-green .ground{fill:#dcebd5}.map.ground-green .quarter{fill:#e9f2e2}.map.ground-green .tone3{fill:#c9e2bb}
.map.ground-night .ground,.map.ground-night .quarter{fill:#242b38}.map.ground-night .tone1{fill:#28303f}.map.ground-night .tone3{fill:#26392f}
.city.hills .tone0,.city.hills .tone2{fill:#e2d7c0}.map.ground-night .city.hills .tone0,.map.ground-night .city.hills .tone2{fill:#3a3428}
.city .river{fill:none;stroke:#a5cde6;stroke-width:46;stroke-linejoin:round}
.map.ground-night .river{stroke:#28506e}
.city .street{stroke:#fff;stroke-width:20;fill:none}
.map.streets-wide .street{stroke-width:28}
.map.ground-night .street{stroke:#465063}
.city .street.busy{stroke:#eda491}.map.ground-night .street.busy{stroke:#8d4a3c}
.city .line{fill:none;stroke:#2a6fd0;stroke-width:7;stroke-dasharray:18 9}
.city text{font-family:inherit;text-anchor:middle;pointer-events:none}
.city .street-name{fill:#6f6a5e}.map.ground-night .street-name{fill:#b9c2d2}
.city .mark{cursor:pointer}
.city .mark text,.city .pin text{fill:#2a2a2a;stroke:#fffd;paint-order:stroke;stroke-linejoin:round;font-weight:700}
.map.ground-night .mark text,.map.ground-night .pin text{fill:#f2f4f8;stroke:#1b212cdd}
.city .spot{stroke:#fff}.city .eye{fill:#fff}
.map.marks-bold .spot{stroke:#222}
.city .mark.on .spot{stroke:var(--accent)}
.city .home{fill:none;stroke:var(--accent);pointer-events:none}
.city .pin path{fill:#d9342b}
.city .way{fill:none;stroke:#2f62d9;stroke-linejoin:round;opacity:.85}
.map .zoom{position:absolute;right:10px;top:10px;display:flex;flex-direction:column;gap:5px}
.map .zoom .btn,.map.buttons-outline .zoom .btn{background:var(--card)}
.map .layers{position:absolute;left:8px;bottom:8px;display:flex;gap:11px;padding:2px 9px}
.map .layers .tick{gap:5px}
`,
  draw: drawStore,
  templates: mapTemplates,
};
