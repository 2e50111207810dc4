import { percent } from '../../src/report/percent.js';
import type { RunSummary } from '../../src/server/trainingWire.js';

const size = { width: 260, height: 44 };
const inset = 3;

/** Success so far with its 95 % interval. */
export function Sparkline({ spark: { measured, points } }: Pick<RunSummary, 'spark'>) {
  if (points.length < 2) return null;
  const x = (i: number): number => inset + (i / (points.length - 1)) * (size.width - 2 * inset);
  const y = (share: number): number => size.height - inset - share * (size.height - 2 * inset);
  const along = (shares: readonly number[]): string[] =>
    shares.map((share, i) => `${x(i).toFixed(1)} ${y(share).toFixed(1)}`);
  const band = [...along(points.map(({ high }) => high)), ...along(points.map(({ low }) => low)).reverse()];
  const last = points.at(-1)!;
  return (
    <svg
      className="spark"
      viewBox={`0 0 ${size.width} ${size.height}`}
      preserveAspectRatio="xMinYMid"
      role="img"
      aria-label={`Success, ${measured}: from ${percent(points[0]!.success)} to ${percent(last.success)} %`}
    >
      <path className="band" d={`M${band.join('L')}Z`} />
      <path className="line" d={`M${along(points.map(({ success }) => success)).join('L')}`} />
      <circle cx={x(points.length - 1)} cy={y(last.success)} r={3} />
    </svg>
  );
}
