/** A value of an update. */
export interface CurvePoint {
  readonly x: number;
  readonly y: number;
  readonly low?: number;
  readonly high?: number;
  /** Names the update: its run and its place there. Absent for means. */
  readonly run?: string;
  readonly index?: number;
}

export interface Curve {
  readonly name: string;
  /** x ascending. */
  readonly points: readonly CurvePoint[];
}

/**
 * Averages exponentially, without a bias towards the first value (as Adam corrects its moments).
 *
 * @param weight of the past, 0..1
 */
export function smoothed(values: readonly number[], weight: number): number[] {
  let sum = 0;
  let mass = 0;
  return values.map((value) => {
    sum = weight * sum + (1 - weight) * value;
    mass = weight * mass + (1 - weight);
    return mass === 0 ? value : sum / mass;
  });
}

/** Two-sided 95 % quantiles of Student's t by degrees of freedom, then the normal one. */
const student = [NaN, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];

/**
 * Returns the mean of curves with its 95 % t interval, where all of them have values; between their points they are
 * straight.
 */
export function meanOfCurves(name: string, curves: readonly Curve[]): Curve {
  const from = Math.max(...curves.map(({ points }) => points[0]?.x ?? Infinity));
  const to = Math.min(...curves.map(({ points }) => points.at(-1)?.x ?? -Infinity));
  const xs = [...new Set(curves.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const n = curves.length;
  const t = student[n - 1] ?? 1.96;
  return {
    name,
    points: xs
      .filter((x) => x >= from && x <= to)
      .map((x) => {
        const values = curves.map((curve) => valueAt(curve, x));
        const mean = values.reduce((sum, value) => sum + value, 0) / n;
        const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, n - 1);
        const reach = n > 1 ? t * Math.sqrt(variance / n) : 0;
        return { x, y: mean, low: mean - reach, high: mean + reach };
      }),
  };
}

function valueAt({ points }: Curve, x: number): number {
  const after = points.findIndex((point) => point.x >= x);
  const [right, left] = [points[after], points[after - 1]];
  if (!right) return points.at(-1)?.y ?? NaN;
  if (!left || right.x === x) return right.y;
  return left.y + ((x - left.x) / (right.x - left.x)) * (right.y - left.y);
}
