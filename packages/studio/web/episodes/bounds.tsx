import { textIn } from '../parts/search.js';

/** Filters that other pages set: a time, or where a cycle of the flywheel sent it. */
export interface Bounds {
  from?: string;
  to?: string;
  difficulty?: number;
  cycle?: number;
  origin?: string;
  verdict?: string;
  route?: string;
}

const routes = ['origin', 'verdict', 'route'] as const;

/** Reads them from the address. */
export function boundsIn(search: Record<string, unknown>): Bounds {
  const times = (['from', 'to'] as const).flatMap((name) => {
    const time = Date.parse(textIn(search[name]));
    return Number.isNaN(time) ? [] : [[name, new Date(time).toISOString()] as const];
  });
  const difficulty = Number(search.difficulty);
  const level = Number.isInteger(difficulty) && difficulty > 0 ? { difficulty } : {};
  const cycle = search.cycle === undefined ? NaN : Number(search.cycle);
  if (!Number.isInteger(cycle) || cycle < 0) return { ...Object.fromEntries(times), ...level };
  const routed = routes.flatMap((name) => {
    const value = textIn(search[name]);
    return value === '' ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries([...times, ...routed]), ...level, cycle };
}

/** Says which of them hold, and lifts them. */
export function BoundChips({
  bounds,
  lift,
}: {
  readonly bounds: Bounds;
  readonly lift: (names: Partial<Bounds>) => void;
}) {
  const { from, to, difficulty, cycle, origin, verdict, route } = bounds;
  const time = (iso: string): string => new Date(iso).toLocaleString();
  const since = from === undefined ? '' : ` from ${time(from)}`;
  const chips: [string, Partial<Bounds>][] = [
    ...(from !== undefined || to !== undefined
      ? [
          [`started${since}${to === undefined ? '' : ` until ${time(to)}`}`, { from: undefined, to: undefined }] as [
            string,
            Partial<Bounds>,
          ],
        ]
      : []),
    ...(difficulty !== undefined
      ? [[`difficulty ${difficulty}`, { difficulty: undefined }] as [string, Partial<Bounds>]]
      : []),
    ...(cycle !== undefined
      ? [
          [
            [`routed in cycle ${cycle}`, origin, verdict, route && `to ${route}`].filter((part) => part).join(', '),
            { cycle: undefined, origin: undefined, verdict: undefined, route: undefined },
          ] as [string, Partial<Bounds>],
        ]
      : []),
  ];
  return chips.map(([text, names]) => (
    <span className="chip" key={text}>
      {text}{' '}
      <button aria-label={`Lift the filter: ${text}`} onClick={() => lift(names)}>
        ×
      </button>
    </span>
  ));
}
