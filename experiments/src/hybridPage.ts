import { writeCurves } from 'gyre';
import { overSeeds } from './measurement.js';

type ByFamily = Record<string, number>;

/** What one way of practising came to, with one seed. Success 0..1 on held-out tasks, by interface. */
export interface HybridMeasurement {
  seed: number;
  variant: 'GUI alone' | 'GUI and shell';
  /** Of practice. */
  minutes: number;
  start: ByFamily;
  trained: ByFamily;
}

/** One page with what was measured: means over the seeds with 95 % intervals (Student). */
export async function writeHybrid(
  path: string,
  measurements: readonly HybridMeasurement[],
  { steps, tasks }: { steps: number; tasks: number },
): Promise<void> {
  const families = Object.keys(measurements[0]?.start ?? {});
  const interval = (values: readonly number[], [least, most] = [0, 1]): string => {
    const { mean, low, high } = overSeeds(values);
    const [from, to] = [Math.max(least, low), Math.min(most, high)];
    return `${(100 * mean).toFixed(0)} (${(100 * from).toFixed(0)} to ${(100 * to).toFixed(0)})`;
  };
  const of = (variant: HybridMeasurement['variant']) => measurements.filter((one) => one.variant === variant);
  const [alone, both] = [of('GUI alone'), of('GUI and shell')];
  const row = (name: string, shares: readonly ByFamily[]): string[] => [
    name,
    ...families.map((family) => interval(shares.map((share) => share[family] ?? NaN))),
  ];
  const against = families.map((family) => {
    const pairs = both.flatMap(({ seed, trained }) => {
      const other = alone.find((one) => one.seed === seed);
      return other ? [(trained[family] ?? NaN) - (other.trained[family] ?? NaN)] : [];
    });
    return interval(pairs, [-1, 1]);
  });
  await writeCurves(path, {
    title: 'Two interfaces to the same tasks',
    paragraphs: [
      `${steps} environment steps of PPO alone, on the screen alone or half on the screen and half with a shell besides, from the base policy after demonstrations of both. Success in per cent on ${tasks} held-out tasks, actions sampled; differences in points, seed by seed. Means over ${new Set(measurements.map(({ seed }) => seed)).size} seeds with 95 % intervals (Student).`,
    ],
    table: [
      ['policy', ...families],
      row(
        'start',
        alone.map(({ start }) => start),
      ),
      row(
        'GUI alone',
        alone.map(({ trained }) => trained),
      ),
      row(
        'GUI and shell',
        both.map(({ trained }) => trained),
      ),
      ['the second against the first', ...against],
    ],
    curves: [],
  });
}
