import type { Scene } from '../app.js';
import { on } from '../page/elementHandlers.js';
import { Button, Tick } from '../page/parts.js';
import { type MapApp, crossingAt, layers, openPlace, pointOf } from './mapStore.js';

type MapScene = Scene<MapApp>;

const zooms = [1, 1.6, 2.4, 3.6] as const;

function cityPoint({ ui }: MapScene, event: MouseEvent): { x: number; y: number; scale: number } {
  const { left, top, width, height } = document.querySelector('.city')!.getBoundingClientRect();
  const scale = (Math.max(width, height) * ui.zoom) / 1000;
  const [x, y] = [event.clientX - left - width / 2, event.clientY - top - height / 2];
  return { x: ui.x + x / scale, y: ui.y + y / scale, scale };
}

function zoomBy(ui: MapScene['ui'], steps: number): void {
  const index = zooms.indexOf(ui.zoom as (typeof zooms)[number]);
  ui.zoom = zooms[Math.max(0, Math.min(zooms.length - 1, index + steps))] ?? 1;
}

export function City(scene: MapScene) {
  const { store, ui, words } = scene;
  const side = 1000 / ui.zoom;
  const unit = side / 450;
  const route = 'from' in store.route ? store.route : undefined;
  const routePlaces = route ? [route.from, ...route.stops, route.to].flatMap((id) => store.places[id] ?? []) : [];
  const path = routePlaces.map(({ x, y }, index) => (index === 0 ? `M${x} ${y}` : `H${x}V${y}`)).join('');
  return (
    <div class="frame">
      <svg
        class={`city ${store.layers.terrain ? 'hills' : ''}`}
        viewBox={`${ui.x - side / 2} ${ui.y - side / 2} ${side} ${side}`}
        preserveAspectRatio="xMidYMid slice"
        {...on('city', {
          press() {},
          down(event) {
            ui.moved = false;
            ui.dragged = { x: event.clientX, y: event.clientY, mapX: ui.x, mapY: ui.y };
          },
          move(event) {
            const from = ui.dragged;
            if (!from) return;
            const { scale } = cityPoint(scene, event);
            const [x, y] = [event.clientX - from.x, event.clientY - from.y];
            if (Math.abs(x) + Math.abs(y) > 4) ui.moved = true;
            ui.x = Math.max(0, Math.min(1000, from.mapX - x / scale));
            ui.y = Math.max(0, Math.min(1000, from.mapY - y / scale));
          },
          up: () => (ui.dragged = undefined),
          wheel(event) {
            event.preventDefault();
            zoomBy(ui, event.deltaY < 0 ? 1 : -1);
          },
          context(event) {
            const { x, y } = cityPoint(scene, event);
            ui.pin = { at: crossingAt(store, x, y), name: '' };
          },
        })}
      >
        <rect class="ground" x="-600" y="-600" width="2200" height="2200" />
        {store.across.map(({ y }, row) =>
          store.down.map(({ x }, column) => {
            const [width, height] = [(store.down[column + 1]?.x ?? 1060) - x, (store.across[row + 1]?.y ?? 1060) - y];
            const tone = (row * 7 + column * 5) % 6;
            return <rect key={`${row}/${column}`} class={`quarter tone${tone}`} {...{ x, y, width, height }} />;
          }),
        )}
        <path class="river" d={store.river.map(([x, y], index) => `${index ? 'L' : 'M'}${x} ${y}`).join('')} />
        {store.across.map(({ y }, row) => (
          <path
            key={`a${row}`}
            class={`street ${store.layers.traffic && row % 2 ? 'busy' : ''}`}
            d={`M-600 ${y}H1600`}
          />
        ))}
        {store.down.map(({ x }, column) => (
          <path
            key={`d${column}`}
            class={`street ${store.layers.traffic && column % 3 === 1 ? 'busy' : ''}`}
            d={`M${x} -600V1600`}
          />
        ))}
        {store.layers.transit && <path class="line" d="M-100 330L330 330 640 640 1100 640" />}
        {store.across.map(({ name, y }) =>
          [-140, 160, 480, 800].map((x) => (
            <text key={`${name}${x}`} class="street-name" x={x} y={y + 3.5 * unit} font-size={10 * unit}>
              {name}
            </text>
          )),
        )}
        {store.down.map(({ name, x }) =>
          [-80, 250, 570, 890].map((y) => (
            <text
              key={`${name}${y}`}
              class="street-name"
              font-size={10 * unit}
              transform={`translate(${x + 3.5 * unit} ${y}) rotate(-90)`}
            >
              {name}
            </text>
          )),
        )}
        {path && <path class="way" d={path} stroke-width={5 * unit} />}
        {store.across.flatMap((_, row) =>
          store.down.map((_, column) => {
            const block = `${row}/${column}`;
            const { x, y } = pointOf(store, block);
            return <circle key={block} data-name={`crossing-${block}`} cx={x} cy={y} r={9 * unit} fill="transparent" />;
          }),
        )}
        {Object.entries(store.places).map(([id, { name, kind, x, y }]) => (
          <g
            key={id}
            class={`mark ${ui.place === id && ui.panel === 'place' ? 'on' : ''}`}
            {...on(`place-${id}`, { press: () => !ui.moved && openPlace(scene, id) })}
          >
            <circle class={`spot ${kind}`} cx={x} cy={y} r={8 * unit} stroke-width={1.6 * unit} />
            <circle class="eye" cx={x} cy={y} r={2.6 * unit} />
            <text x={x} y={y - 11 * unit} font-size={11 * unit} stroke-width={3 * unit}>
              {name}
            </text>
          </g>
        ))}
        {store.home && (
          <circle
            class="home"
            cx={store.places[store.home]?.x}
            cy={store.places[store.home]?.y}
            r={12 * unit}
            stroke-width={2.5 * unit}
          />
        )}
        {Object.entries(store.pins).map(([id, pin]) => {
          const { x, y } = pointOf(store, pin.at);
          return (
            <g key={id} class="pin">
              <path d={`M${x} ${y}l${-7 * unit} ${-14 * unit}a${7 * unit} ${7 * unit} 0 1 1 ${14 * unit} 0z`} />
              <text x={x} y={y - 25 * unit} font-size={11 * unit} stroke-width={3 * unit}>
                {pin.name}
              </text>
            </g>
          );
        })}
      </svg>
      <div class="zoom">
        <Button name="zoom-in" icon="plus" press={() => zoomBy(ui, 1)} />
        <Button name="zoom-out" icon="minus" press={() => zoomBy(ui, -1)} />
      </div>
      <div class="panel layers">
        {layers.map((layer) => (
          <Tick
            key={layer}
            name={`layer-${layer}`}
            on={store.layers[layer]}
            press={() => (store.layers[layer] = !store.layers[layer])}
          >
            {words[layer]}
          </Tick>
        ))}
      </div>
    </div>
  );
}
