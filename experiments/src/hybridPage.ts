import { writeCurves } from '@gyre/studio';
import { difference, percentWithInterval } from './measurement.js';

type ByFamily = Record<string, number>;

/** Success 0..1 on held-out tasks by interface, with one seed. */
export interface HybridMeasurement {
  seed: number;
  start: ByFamily;
  alone: ByFamily;
  both: ByFamily;
}

/** Writes a page of means over the seeds with 95 % intervals (Student). */
export async function writeHybrid(
  path: string,
  measurements: readonly HybridMeasurement[],
  { steps, tasks }: { steps: number; tasks: number },
): Promise<void> {
  const families = Object.keys(measurements[0]?.start ?? {});
  const row = (name: string, successOf: (one: HybridMeasurement) => ByFamily): string[] => [
    name,
    ...families.map((family) => percentWithInterval(measurements.map((one) => successOf(one)[family] ?? NaN))),
  ];
  const against = families.map((family) =>
    percentWithInterval(
      measurements.map(({ alone, both }) => (both[family] ?? NaN) - (alone[family] ?? NaN)),
      difference,
    ),
  );
  await writeCurves(path, {
    title: 'Two interfaces to the same tasks',
    paragraphs: [
      `${steps} environment steps of PPO alone, on the screen alone or half on the screen and half with a shell besides, from the pixel policy after demonstrations of both. Success in per cent on ${tasks} held-out tasks, actions sampled; differences in points, seed by seed. Means over ${measurements.length} seeds with 95 % intervals (Student).`,
    ],
    table: [
      ['policy', ...families],
      row('start', ({ start }) => start),
      row('GUI alone', ({ alone }) => alone),
      row('GUI and shell', ({ both }) => both),
      ['the second against the first', ...against],
    ],
    curves: [],
  });
}
