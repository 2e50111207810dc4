import { axis } from './axis.js';
import { html, type Markup } from '../markup.js';

export interface Chart {
  title: string;
  /** Axis titles with units. */
  x: string;
  y: string;
  /** x is a count. */
  whole?: boolean;
  series: {
    name: string;
    /** `[x, y]`, x ascending. */
    points: [number, number][];
    /** `[x, low, high]`, x ascending. */
    band?: [number, number, number][];
    main?: boolean;
  }[];
}

const size = { width: 520, height: 290 };
const plot = { left: 50, right: 510, top: 14, bottom: 244 };
/** In px. */
const [nameHeight, letterWidth] = [15, 7.5];
/** Longer names are shortened; the line's title is complete. */
const maxLetters = 26;

const maxHues = 6;

export function charts(curves: readonly Chart[]): Markup {
  const hues = huesOf(curves);
  return html`<div class="charts">${curves.map((curve) => chart(curve, (name) => hues.get(name) ?? 0))}</div>`;
}

/** Assigns unique colours on the page or, if they run out, within a chart. */
function huesOf(curves: readonly Chart[]): Map<string, number> {
  const palette = Array.from({ length: maxHues }, (_, hue) => hue);
  const hues = new Map<string, number>();
  for (const { series } of curves) {
    for (const [index, { name }] of series.entries()) {
      if (hues.has(name)) continue;
      const others = [new Set(hues.values()), new Set(series.map((other) => hues.get(other.name)))];
      const free = others.map((taken) => palette.find((hue) => !taken.has(hue)));
      hues.set(name, free[0] ?? free[1] ?? index % maxHues);
    }
  }
  return hues;
}

function chart({ title, x, y, whole, series }: Chart, hueOf: (name: string) => number): Markup {
  const right = plot.right - 14 - letterWidth * Math.max(0, ...series.map(({ name }) => shortened(name).length));
  const drawn = series.map((line) => ({
    ...line,
    points: line.points.filter(finite),
    band: line.band?.filter(finite),
  }));
  const xs = drawn.flatMap((line) => line.points.map((point) => point[0]));
  const ys = drawn.flatMap((line) => [
    ...line.points.map((point) => point[1]),
    ...(line.band ?? []).flatMap((b) => [b[1], b[2]]),
  ]);
  const share =
    ys.length > 0 && ys.every((value) => value >= 0 && value <= 1) && /success|share|accuracy|rate/i.test(y);
  const across = axis(xs, plot.left, right, { tight: true, ticks: 6, whole });
  const up = axis(ys, plot.bottom, plot.top, { share, ticks: 4 });
  const grid = up.ticks.map((tick) => {
    const tickY = up.position(tick);
    return html`<path class="grid" d="M${plot.left} ${tickY}H${right}" /><text
        class="tick"
        x="${plot.left - 8}"
        y="${tickY}"
        text-anchor="end"
        dominant-baseline="central"
        >${up.label(tick)}</text
      >`;
  });
  const below = across.ticks.map(
    (tick) =>
      html`<text class="tick" x="${across.position(tick)}" y="${plot.bottom + 18}" text-anchor="middle"
        >${across.label(tick)}</text
      >`,
  );
  const hasMain = drawn.some(({ main }) => main);
  const emphasis = (line: Chart['series'][number] | undefined) => (line?.main ? ' main' : hasMain ? ' back' : '');
  const bands = drawn.map((line) => {
    if (line.band === undefined || line.band.length < 2) return undefined;
    const upper = line.band.map(([bx, , high]) => `${round(across.position(bx))} ${round(up.position(high))}`);
    const lower = line.band.map(([bx, low]) => `${round(across.position(bx))} ${round(up.position(low))}`).reverse();
    return html`<path class="band s${hueOf(line.name)}" d="${`M${[...upper, ...lower].join('L')}Z`}" />`;
  });
  const lines = drawn.map((line) => {
    const path = line.points.map(([px, py]) => `${round(across.position(px))} ${round(up.position(py))}`).join('L');
    const last = line.points.at(-1);
    if (last === undefined) return undefined;
    return html`<path class="line s${hueOf(line.name)}${emphasis(line)}" d="M${path}"><title>${line.name}</title></path
      ><circle
        class="end s${hueOf(line.name)}${emphasis(line)}"
        cx="${across.position(last[0])}"
        cy="${up.position(last[1])}"
        r="4"
      />`;
  });
  const names = endNames(
    drawn.map((line) => ({ name: line.name, y: up.position(line.points.at(-1)?.[1] ?? NaN) })),
  ).map(
    ({ name, y: nameY, index }) =>
      html`<text
        class="name s${hueOf(name)}${emphasis(drawn[index])}"
        x="${right + 10}"
        y="${nameY}"
        dominant-baseline="central"
        >${shortened(name)}</text
      >`,
  );
  return html`<figure>
    <figcaption>${title}<small>${y}</small></figcaption>
    <svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${title}: ${y} over ${x}">
      ${grid}
      <path class="base" d="M${plot.left} ${plot.bottom}H${right}" />
      ${below}${bands}${lines}${names}
      <text class="axis" x="${(plot.left + right) / 2}" y="${size.height - 6}" text-anchor="middle">${x}</text>
    </svg>
  </figure>`;
}

function endNames(ends: readonly { name: string; y: number }[]): { name: string; y: number; index: number }[] {
  const names = ends.map((end, index) => ({ ...end, index })).filter((end) => Number.isFinite(end.y));
  names.sort((a, b) => a.y - b.y);
  for (let i = 1; i < names.length; i++) {
    const [above, name] = [names[i - 1]!, names[i]!];
    name.y = Math.max(name.y, above.y + nameHeight);
  }
  let limit = plot.bottom;
  for (const name of names.reverse()) {
    name.y = Math.min(name.y, limit);
    limit = name.y - nameHeight;
  }
  return names;
}

const shortened = (name: string) => (name.length > maxLetters ? `${name.slice(0, maxLetters - 1)}…` : name);
const finite = (numbers: readonly number[]) => numbers.every(Number.isFinite);
const round = (value: number) => Math.round(value * 10) / 10;
