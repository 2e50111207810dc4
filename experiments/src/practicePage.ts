import { type Chart, writeCurves } from 'gyre';
import { overSeeds } from './measurement.js';
import type { PracticeMeasurement } from './practiceMeasurement.js';

/** One page with what was measured: means over the seeds with 95 % intervals (Student). */
export async function writePractice(
  path: string,
  measurements: readonly PracticeMeasurement[],
  { steps, tasks }: { steps: number; tasks: number },
): Promise<void> {
  const variants = [...new Set(measurements.map(({ variant }) => variant))];
  const of = (variant: string) => measurements.filter((one) => one.variant === variant);
  const families = Object.keys(measurements[0]?.start ?? {});
  const points = (values: readonly number[]): string => {
    const { mean, low, high } = overSeeds(values);
    const [middle, from, to] = [mean, low, high].map((value) => (100 * value).toFixed(0));
    return `${middle} (${from} to ${to})`;
  };
  const meanOf = (shares: Readonly<Record<string, number>>): number =>
    families.reduce((sum, family) => sum + (shares[family] ?? 0), 0) / families.length;
  const gain = (family: string) => (one: PracticeMeasurement) =>
    (one.trained[family] ?? NaN) - (one.start[family] ?? NaN);
  const chart = (title: string, y: string, value: (point: PracticeMeasurement['curve'][number]) => number): Chart => ({
    ...{ title, x: 'environment steps', y },
    series: variants.flatMap((name) => {
      const curves = of(name).map(({ curve }) => curve);
      // Iterations of the seeds differ by a few turns.
      const shortest = Math.min(...curves.map(({ length }) => length));
      const rows = Array.from({ length: shortest }, (_, i) => ({
        x: overSeeds(curves.map((curve) => curve[i]!.environmentSteps)).mean,
        y: overSeeds(curves.map((curve) => value(curve[i]!))).mean,
      })).filter(({ y: height }) => Number.isFinite(height));
      return rows.length > 0 ? [{ name, points: rows.map((row): [number, number] => [row.x, row.y]) }] : [];
    }),
  });
  const seeds = new Set(measurements.map(({ seed }) => seed)).size;
  await writeCurves(path, {
    title: 'Ways of practising',
    paragraphs: [
      `The base policy practised ${families.join(', ')} for ${steps} environment steps in each way. Success in per cent on ${tasks} held-out tasks of each family, sampled; gains in points. Means over ${seeds} seeds with 95 % intervals (Student).`,
    ],
    table: [
      [
        'variant',
        'seeds',
        'start',
        'trained',
        'gain',
        ...families.map((family) => `gain ${family}`),
        'minutes',
        'learnt turns a minute',
      ],
      ...variants.map((name) => [
        name,
        String(of(name).length),
        points(of(name).map(({ start }) => meanOf(start))),
        points(of(name).map(({ trained }) => meanOf(trained))),
        points(of(name).map(({ start, trained }) => meanOf(trained) - meanOf(start))),
        ...families.map((family) => points(of(name).map(gain(family)))),
        overSeeds(of(name).map(({ minutes }) => minutes)).mean.toFixed(1),
        overSeeds(of(name).map(({ learnt, minutes }) => learnt / minutes)).mean.toFixed(0),
      ]),
    ],
    curves: [
      chart('Success while practising', 'success on new training tasks, mean of the families', ({ success }) => {
        const shares = families.map((family) => success[family] ?? NaN).filter(Number.isFinite);
        return shares.reduce((sum, share) => sum + share, 0) / shares.length;
      }),
      chart('Entropy of the policy', 'nats per token', ({ entropy }) => entropy),
      chart('How far an update goes', 'KL divergence in nats per token', ({ kl }) => kl),
      chart('Critic', 'explained variance of the returns', ({ explainedVariance }) => explainedVariance ?? NaN),
    ].filter(({ series }) => series.length > 0),
  });
}
