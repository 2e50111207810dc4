import { type Chart, writeCurves } from '@gyre/studio';
import { difference, meanWithInterval, percentWithInterval } from './measurement.js';

type ByFamily = Record<string, number>;

/** Specialists of one seed and their merge. Success 0..1. */
export interface MergingMeasurement {
  seed: number;
  /** Weights of the specialists, chosen on the dev split. */
  weights: number[];
  /** All weights that were tried. */
  dev: { weights: number[]; success: ByFamily }[];
  /** By policy: base, specialists by their family, trained on all families, merged. */
  test: Record<string, ByFamily>;
}

/** Writes a page of means over the seeds with 95 % intervals (Student). */
export async function writeMerging(
  path: string,
  measurements: readonly MergingMeasurement[],
  { steps, dev, tasks }: { steps: number; dev: number; tasks: number },
): Promise<void> {
  const [first] = measurements;
  if (!first) return;
  const families = Object.keys(first.test.base ?? {});
  const meanOf = (shares: ByFamily): number =>
    families.reduce((sum, family) => sum + (shares[family] ?? NaN), 0) / families.length;
  const rows = Object.keys(first.test).map((policy) => {
    const results = measurements.map(({ test }) => test[policy] ?? {});
    const gains = measurements.map(({ test }, seed) => meanOf(results[seed]!) - meanOf(test.base ?? {}));
    return [
      families.includes(policy) ? `specialist of ${policy}` : policy,
      ...families.map((family) => percentWithInterval(results.map((shares) => shares[family] ?? NaN))),
      percentWithInterval(results.map(meanOf)),
      policy === 'base' ? '' : percentWithInterval(gains, difference),
    ];
  });
  await writeCurves(path, {
    title: 'Interpolating specialists',
    paragraphs: [
      `Each specialist practised its family for ${steps} environment steps by PPO alone, from the pixel policy; “all families” practised them all for as many together. Success in per cent on ${tasks} held-out tasks of each family, actions sampled; gains in points. Means over ${measurements.length} seeds with 95 % intervals (Student).`,
      `Weights chosen on ${dev} tasks of each family of the dev split, seed by seed: ${measurements.map(({ weights }) => weights.join(' : ')).join('; ')}.`,
    ],
    table: [['policy', ...families, 'mean', 'gain'], ...rows],
    curves: families.length === 2 ? [along(families, measurements)] : [],
  });
}

/** Charts the line between two specialists, on the dev split. */
function along(families: readonly string[], measurements: readonly MergingMeasurement[]): Chart {
  const [first = '', second = ''] = families;
  const places = [...new Set(measurements[0]?.dev.map(({ weights }) => weights[0] ?? NaN))].sort((a, b) => a - b);
  const meanAt = (place: number, value: (shares: ByFamily) => number): number =>
    meanWithInterval(
      measurements.flatMap(({ dev }) =>
        dev.filter(({ weights }) => weights[0] === place).map(({ success }) => value(success)),
      ),
    ).mean;
  const line = (name: string, value: (shares: ByFamily) => number) => ({
    name,
    points: places.map((place): [number, number] => [place, meanAt(place, value)]),
  });
  return {
    title: 'Between two specialists',
    x: `weight of the specialist of ${first}; the rest is that of ${second}`,
    y: 'success on dev tasks',
    series: [
      line(first, (shares) => shares[first] ?? NaN),
      line(second, (shares) => shares[second] ?? NaN),
      line('mean', (shares) => ((shares[first] ?? NaN) + (shares[second] ?? NaN)) / 2),
    ],
  };
}
