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
    /** Highlighted; other series are dimmed. */
    main?: boolean;
  }[];
}

const size = { width: 520, height: 290 };
const plot = { left: 50, right: 510, top: 14, bottom: 244 };
/** Minimum distance of the names at the ends of lines, and width of a letter, in px. */
const [nameHeight, letterWidth] = [15, 7.5];
/** Longer names are shortened; the line's title has the whole. */
const mostLetters = 26;

/** Colours of the stylesheet. */
const mostHues = 6;

/** Draws learning curves: a line per series with its name at its end and its band behind it. A name has the same colour in every chart. */
export function charts(curves: readonly Chart[]): Markup {
  const hues = huesOf(curves);
  return html`<div class="charts">${curves.map((curve) => chart(curve, (name) => hues.get(name) ?? 0))}</div>`;
}

/** Assigns a colour to each name: unique on the page, or within its chart if they run out. */
function huesOf(curves: readonly Chart[]): Map<string, number> {
  const palette = Array.from({ length: mostHues }, (_, hue) => hue);
  const hues = new Map<string, number>();
  for (const { series } of curves) {
    for (const [index, { name }] of series.entries()) {
      if (hues.has(name)) continue;
      const others = [new Set(hues.values()), new Set(series.map((other) => hues.get(other.name)))];
      const free = others.map((taken) => palette.find((hue) => !taken.has(hue)));
      hues.set(name, free[0] ?? free[1] ?? index % mostHues);
    }
  }
  return hues;
}

function chart({ title, x, y, whole, series }: Chart, hueOf: (name: string) => number): Markup {
  // Leaves room for the longest name.
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
    const at = up.at(tick);
    return html`<path class="grid" d="M${plot.left} ${at}H${right}" /><text
        class="tick"
        x="${plot.left - 8}"
        y="${at}"
        text-anchor="end"
        dominant-baseline="central"
        >${up.label(tick)}</text
      >`;
  });
  const below = across.ticks.map(
    (tick) =>
      html`<text class="tick" x="${across.at(tick)}" y="${plot.bottom + 18}" text-anchor="middle"
        >${across.label(tick)}</text
      >`,
  );
  const hasMain = drawn.some(({ main }) => main);
  const standing = (line: Chart['series'][number] | undefined) => (line?.main ? ' main' : hasMain ? ' back' : '');
  const bands = drawn.map((line) => {
    if (line.band === undefined || line.band.length < 2) return undefined;
    const upper = line.band.map(([bx, , high]) => `${round(across.at(bx))} ${round(up.at(high))}`);
    const lower = line.band.map(([bx, low]) => `${round(across.at(bx))} ${round(up.at(low))}`).reverse();
    return html`<path class="band s${hueOf(line.name)}" d="${`M${[...upper, ...lower].join('L')}Z`}" />`;
  });
  const lines = drawn.map((line) => {
    const path = line.points.map(([px, py]) => `${round(across.at(px))} ${round(up.at(py))}`).join('L');
    const last = line.points.at(-1);
    if (last === undefined) return undefined;
    return html`<path class="line s${hueOf(line.name)}${standing(line)}" d="M${path}"><title>${line.name}</title></path
      ><circle
        class="end s${hueOf(line.name)}${standing(line)}"
        cx="${across.at(last[0])}"
        cy="${up.at(last[1])}"
        r="4"
      />`;
  });
  const names = endNames(drawn.map((line) => ({ name: line.name, y: up.at(line.points.at(-1)?.[1] ?? NaN) }))).map(
    ({ name, y: at, index }) =>
      html`<text
        class="name s${hueOf(name)}${standing(drawn[index])}"
        x="${right + 10}"
        y="${at}"
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

/** Places names at the ends of their lines without overlaps. */
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

const shortened = (name: string) => (name.length > mostLetters ? `${name.slice(0, mostLetters - 1)}…` : name);
const finite = (numbers: readonly number[]) => numbers.every(Number.isFinite);
const round = (value: number) => Math.round(value * 10) / 10;
