import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type Curve, type CurvePoint, smoothed } from '../../src/charts/curve.js';
import type { Panel } from '../../src/charts/trainingPanels.js';
import { hueOf, resolved, useScheme } from './colours.js';
import { savePicture } from './picture.js';

interface PlotProps {
  readonly panel: Panel;
  readonly xTitle: string;
  /** Weight of the past, 0..1. Default: 0. */
  readonly smooth?: number;
  /** Words for what its points are. Default: updates. */
  readonly along?: string;
  /** Default: points lead nowhere. */
  readonly open?: (point: CurvePoint) => void;
}

const height = 190;
const finest = 1e-4;
/** Key of the cross-hair. */
const syncKey = 'training';
const nowhere = (): void => undefined;

/** A diagram with a cross-hair that all diagrams of the page share. A point leads to its update. */
export function Plot({ panel, xTitle, smooth = 0, along = 'updates', open }: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const opened = useRef(open ?? nowhere);
  const [cursor, setCursor] = useState<number>();
  const scheme = useScheme();
  const { curves, scale } = panel;
  const isShare = scale !== 'number';
  const isLeading = open !== undefined;
  const shape = `${curves.map(({ name, points }) => `${name} ${points.some(({ low }) => low !== undefined)}`).join()} ${smooth > 0} ${scheme}`;
  const latest = useRef({ curves, smooth });
  useEffect(() => {
    latest.current = { curves, smooth };
    opened.current = open ?? nowhere;
  });

  // A new one only where the curves are others: data alone is set.
  useEffect(() => {
    const element = host.current!;
    const colours = curves.map((_, i) => resolved(hueOf(i), element));
    const [ink, line] = [resolved('var(--soft)', element), resolved('var(--line)', element)];
    const axis = {
      stroke: ink,
      grid: { stroke: line, width: 1 },
      ticks: { stroke: line, width: 1 },
      font: '11px sans-serif',
    };
    const diagram = new uPlot(
      {
        ...{ width: element.clientWidth, height, legend: { show: false }, padding: [8, 10, 0, 0] },
        scales: { x: { time: false }, y: { range: rangeOf(scale) } },
        axes: [
          { ...axis, size: 30, space: 60 },
          { ...axis, size: 52, values: (_, ticks) => ticks.map((tick) => numberOf(tick, isShare)) },
        ],
        cursor: {
          ...(isLeading && { sync: { key: syncKey } }),
          y: false,
          points: { size: 7 },
          drag: { x: true, y: false },
        },
        series: [{}, ...curves.flatMap((curve, i) => seriesOf(curve, colours[i]!, smooth > 0))],
        bands: bandsOf(curves, colours, smooth > 0),
        hooks: { setCursor: [({ cursor: state }) => setCursor(state.idx ?? undefined)] },
      },
      tableOf(latest.current.curves, latest.current.smooth),
      element,
    );
    plot.current = diagram;
    const press = (): void => openAt(diagram, latest.current.curves, opened.current);
    diagram.over.addEventListener('click', press);
    const sizes = new ResizeObserver(() => diagram.setSize({ width: element.clientWidth, height }));
    sizes.observe(element);
    return () => {
      sizes.disconnect();
      diagram.destroy();
      plot.current = undefined;
    };
  }, [shape, scale, isLeading]);
  useEffect(() => plot.current?.setData(tableOf(curves, smooth)), [curves, smooth]);

  const move = (event: React.KeyboardEvent): void => {
    const diagram = plot.current;
    const xs = diagram?.data[0] ?? [];
    if (!diagram || xs.length === 0) return;
    const from = diagram.cursor.idx ?? (event.key === 'ArrowLeft' ? xs.length : -1);
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: xs.length - 1 }[event.key];
    if (event.key === 'Enter') openAt(diagram, curves, opened.current);
    if (to === undefined) return;
    event.preventDefault();
    const index = Math.max(0, Math.min(to, xs.length - 1));
    // As the mouse does, since only then do the other diagrams follow.
    const bounds = diagram.over.getBoundingClientRect();
    const clientX = bounds.left + diagram.valToPos(xs[index]!, 'x');
    diagram.over.dispatchEvent(new MouseEvent('mousemove', { clientX, clientY: bounds.top + 2 }));
  };
  const xs = xsOf(curves);
  const x = cursor === undefined ? undefined : xs[cursor];
  return (
    <figure className="panel">
      <figcaption>
        {panel.title}
        <small>{panel.unit}</small>
        <button className="png" onClick={() => plot.current && void savePicture(plot.current, panel)}>
          PNG
        </button>
      </figcaption>
      <div
        className="plot"
        ref={host}
        tabIndex={0}
        role="group"
        aria-label={`${panel.title}, ${panel.unit}. Arrow keys move along the ${along}${open ? ', enter opens the episodes of one' : ''}.`}
        onKeyDown={move}
      />
      <ul className="legend">
        {curves.map(({ name, points }, i) => {
          const point = x === undefined ? points.at(-1) : points.findLast((each) => each.x <= x);
          return (
            <li key={name}>
              <i style={{ background: hueOf(i) }} aria-hidden="true" />
              {name === '' ? panel.title : name} <b>{point ? numberOf(point.y, isShare) : '–'}</b>
            </li>
          );
        })}
        <li className="where">{x === undefined ? 'newest' : `${xTitle} ${numberOf(x, false)}`}</li>
      </ul>
    </figure>
  );
}

function rangeOf(scale: Panel['scale']): uPlot.Scale.Range {
  if (scale === 'whole') return [0, 1];
  return (_, low: number | null, high: number | null) => {
    if (low === null || high === null) return [0, 1];
    if (scale === 'share') return [0, Math.max(0.05, 1.1 * high)];
    if (low !== high) return uPlot.rangeNum(low, high, 0.1, true);
    const room = low === 0 ? 1 : Math.abs(low) / 2;
    return [low === 0 ? 0 : low - room, high + room];
  };
}

function seriesOf({ points }: Curve, colour: string, isSmooth: boolean): uPlot.Series[] {
  const plain = { spanGaps: true, points: { show: points.length < 40, size: 5, fill: colour } };
  const faint = { stroke: withAlpha(colour, 0.28), width: 1, spanGaps: true, points: { show: false } };
  const edge = { stroke: 'transparent', width: 0, spanGaps: true, points: { show: false } };
  return [
    { ...plain, stroke: colour, width: 2 },
    ...(isSmooth ? [faint] : []),
    ...(hasBand(points) ? [edge, edge] : []),
  ];
}

function bandsOf(curves: readonly Curve[], colours: readonly string[], isSmooth: boolean): uPlot.Band[] {
  const bands: uPlot.Band[] = [];
  let next = 1;
  for (const [i, { points }] of curves.entries()) {
    next += isSmooth ? 2 : 1;
    if (!hasBand(points)) continue;
    bands.push({ series: [next + 1, next], fill: withAlpha(colours[i]!, 0.13) });
    next += 2;
  }
  return bands;
}

const hasBand = (points: readonly CurvePoint[]): boolean => points.some(({ low }) => low !== undefined);

const xsOf = (curves: readonly Curve[]): number[] =>
  [...new Set(curves.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);

/** Returns columns over the x of all curves. */
function tableOf(curves: readonly Curve[], smooth: number): uPlot.AlignedData {
  const xs = xsOf(curves);
  const columns = curves.flatMap(({ points }) => {
    const column = (valueOf: (point: CurvePoint, i: number) => number | undefined): (number | null)[] => {
      const values = new Map(points.map((point, i) => [point.x, valueOf(point, i)]));
      return xs.map((x) => values.get(x) ?? null);
    };
    const raw = column(({ y }) => y);
    const main =
      smooth > 0
        ? smoothed(
            points.map(({ y }) => y),
            smooth,
          )
        : undefined;
    return [
      ...(main ? [column((_, i) => main[i]), raw] : [raw]),
      ...(hasBand(points) ? [column(({ low }) => low), column(({ high }) => high)] : []),
    ];
  });
  return [xs, ...columns];
}

/** Opens the update whose point is nearest to the cursor. */
function openAt(diagram: uPlot, curves: readonly Curve[], open: (point: CurvePoint) => void): void {
  const { idx, top = 0 } = diagram.cursor;
  const x = idx === undefined || idx === null ? undefined : diagram.data[0][idx];
  if (x === undefined) return;
  const points = curves.flatMap((curve) => curve.points.filter((point) => point.x === x && point.index !== undefined));
  const distance = ({ y }: CurvePoint): number => Math.abs(diagram.valToPos(y, 'y') - top);
  const [nearest] = points.sort((a, b) => distance(a) - distance(b));
  if (nearest) open(nearest);
}

function numberOf(value: number, isShare: boolean): string {
  if (isShare) return `${Number((100 * value).toFixed(1))} %`;
  if (value !== 0 && Math.abs(value) < finest) return value.toExponential(1);
  return value.toLocaleString('en', { maximumSignificantDigits: 4 });
}

/** @param colour as the browser computes it: `rgb(1, 2, 3)` */
const withAlpha = (colour: string, alpha: number): string =>
  colour.replace(/^rgba?\(([^,]+),([^,]+),([^,)]+).*$/, `rgba($1,$2,$3,${alpha})`);
