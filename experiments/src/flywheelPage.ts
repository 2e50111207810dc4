import { writeCurves } from '@gyre/studio';
import { difference, meanWithInterval, percentWithInterval } from './measurement.js';

type ByFamily = Record<string, number>;

/** One variant with one seed. Success 0..1, on held-out tasks. */
export interface FlywheelMeasurement {
  variant: string;
  seed: number;
  /** The whole run, evaluation included. */
  minutes: number;
  random: ByFamily;
  start: ByFamily;
  trained: ByFamily;
  oracle: ByFamily;
  /** Cycle 0 is the state before the first one. */
  cycles: {
    stages: Record<string, { minutes: number; turns: number }>;
    /** Samples at the end. */
    pools: Record<string, number>;
    dev: ByFamily;
  }[];
}

const meanOf = (shares: Readonly<ByFamily>): number => {
  const successes = Object.values(shares);
  return successes.reduce((sum, share) => sum + share, 0) / successes.length;
};

/** Writes a page of means over the seeds with 95 % intervals (Student). */
export async function writeFlywheels(
  path: string,
  measurements: readonly FlywheelMeasurement[],
  { minutes, tasks }: { minutes: number; tasks: number },
): Promise<void> {
  const variants = [...new Set(measurements.map(({ variant }) => variant))];
  const measurementsOf = (variant: string) => measurements.filter((one) => one.variant === variant);
  const families = Object.keys(measurements[0]?.start ?? {});
  // All variants of a seed share the first weights and the tasks.
  const once = [...new Map(measurements.map((one) => [one.seed, one])).values()];
  const row = (
    name: string,
    results: readonly Readonly<ByFamily>[],
    differences: readonly number[][] = [],
  ): string[] => [
    ...[name, String(results.length), percentWithInterval(results.map(meanOf))],
    ...[0, 1].map((index) => (differences[index]?.length ? percentWithInterval(differences[index], difference) : '')),
    ...families.map((family) => percentWithInterval(results.map((shares) => shares[family] ?? NaN))),
  ];
  /** Returns differences of the mean in points, by seed. */
  const against = (name: string, baseline: string): number[] =>
    measurementsOf(name).flatMap(({ seed, trained }) => {
      const same = measurementsOf(baseline).find((one) => one.seed === seed);
      return same && name !== baseline ? [meanOf(trained) - meanOf(same.trained)] : [];
    });
  const [whole = ''] = variants;
  const seeds = once.length;
  await writeCurves(path, {
    title: 'The flywheel and its parts',
    paragraphs: [
      `The pixel policy learnt ${families.join(', ')} for ${minutes} minutes in each way, evaluation included. Success in per cent on ${tasks} held-out tasks of each family, actions sampled; gains in points, of the mean of the families. Means over ${seeds} seeds with 95 % intervals (Student).`,
    ],
    table: [
      // The comparison stands before the families, which may not all fit.
      ['policy', 'seeds', 'mean', 'gain', `against ${whole}`, ...families],
      row(
        'random',
        once.map(({ random }) => random),
      ),
      row(
        'start',
        once.map(({ start }) => start),
      ),
      ...variants.map((name) =>
        row(
          name,
          measurementsOf(name).map(({ trained }) => trained),
          [measurementsOf(name).map(({ start, trained }) => meanOf(trained) - meanOf(start)), against(name, whole)],
        ),
      ),
      row(
        'oracle',
        once.map(({ oracle }) => oracle),
      ),
    ],
    curves: [
      {
        ...{ title: 'Success from cycle to cycle', x: 'cycle', y: 'success on the dev split, mean of the families' },
        series: variants.map((name) => ({
          name,
          points: (measurementsOf(name)[0]?.cycles ?? []).map((_, cycle): [number, number] => [
            cycle,
            meanWithInterval(
              measurementsOf(name).flatMap(({ cycles }) => (cycles[cycle] ? [meanOf(cycles[cycle].dev)] : [])),
            ).mean,
          ]),
        })),
      },
    ],
  });
}
