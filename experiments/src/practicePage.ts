import { type Chart, writeCurves } from '@gyre/studio';
import { difference, meanWithInterval, percent, percentWithInterval } from './measurement.js';
import type { PracticeMeasurement } from './practiceMeasurement.js';

/** A policy of `docs/research/baselines.json` without training. Success and score 0..1. */
export interface Baseline {
  policy: 'random' | 'oracle';
  family: string;
  n: number;
  success: number;
  score: number;
}

/** Share of solved tasks, or the verifiers' scores. */
export type Metric = 'success' | 'score';

export interface PracticePage {
  steps: number;
  tasks: number;
  baselines: readonly Baseline[];
  by: Metric;
  alone: boolean;
  /** Whether levels were chosen by how often they were solved. */
  curriculum: boolean;
}

/**
 * Writes a page of means over the seeds with 95 % intervals (Student). With `alone`, the variants are the families,
 * with starts of their own.
 */
export async function writePractice(
  path: string,
  measurements: readonly PracticeMeasurement[],
  { steps, tasks, baselines, by, alone, curriculum }: PracticePage,
): Promise<void> {
  const variants = [...new Set(measurements.map(({ variant }) => variant))];
  const measurementsOf = (variant: string) => measurements.filter((one) => one.variant === variant);
  const families = Object.keys(measurements[0]?.start ?? {});
  const meanOf = (shares: Readonly<Record<string, number>>): number =>
    families.reduce((sum, family) => sum + (shares[family] ?? 0), 0) / families.length;
  // All variants of a seed start from the same weights, measured once.
  const starts = [...new Map(measurements.map(({ seed, start }) => [seed, start])).values()];
  const baseline = (policy: Baseline['policy'], family: string): string => {
    const entry = baselines.find((one) => one.policy === policy && one.family === family);
    return entry === undefined ? '' : percent(entry[by]);
  };
  const baselineRow = (policy: Baseline['policy']): string[][] =>
    alone ? [] : [[policy, '', ...families.map((family) => baseline(policy, family)), '', '', '', '']];
  const chart = (title: string, y: string, value: (point: PracticeMeasurement['curve'][number]) => number): Chart => ({
    ...{ title, x: 'environment steps', y },
    series: variants.flatMap((name) => {
      const curves = measurementsOf(name).map(({ curve }) => curve);
      // Iterations of the seeds differ by a few turns.
      const shortest = Math.min(...curves.map(({ length }) => length));
      const rows = Array.from({ length: shortest }, (_, i) => ({
        x: meanWithInterval(curves.map((curve) => curve[i]!.environmentSteps)).mean,
        y: meanWithInterval(curves.map((curve) => value(curve[i]!))).mean,
      })).filter(({ y: height }) => Number.isFinite(height));
      return rows.length > 0 ? [{ name, points: rows.map((row): [number, number] => [row.x, row.y]) }] : [];
    }),
  });
  const seeds = new Set(measurements.map(({ seed }) => seed)).size;
  await writeCurves(path, {
    title: 'Ways of practising',
    paragraphs: [
      `The policy practised ${alone ? `${variants.join(', ')}, each alone,` : families.join(', ')} for ${steps} environment steps${alone ? '' : ' in each way'}. ${by === 'score' ? 'Scores' : 'Success'} in per cent on ${tasks} held-out tasks of each family, actions sampled; gains in points${alone ? '' : ', of the mean of the families'}. Means over ${seeds} seeds with 95 % intervals (Student).${alone ? '' : ` Random actions and the scripted oracle played ${baselines[0]?.n ?? 0} tasks of each.`}`,
      ...(curriculum
        ? [
            'Which levels are practised changes with what is solved: the curves rise or fall with the levels, too, and say little of what is learnt. The table does.',
          ]
        : []),
    ],
    table: [
      ['policy', 'seeds', ...families, 'mean', 'gain', 'minutes', 'learnt turns a minute'],
      ...baselineRow('random'),
      ...(alone ? variants : ['']).map((name) => {
        const begun = alone ? measurementsOf(name).map(({ start }) => start) : starts;
        return [
          alone ? `${name}, start` : 'start',
          String(begun.length),
          ...families.map((family) => percentWithInterval(begun.map((start) => start[family] ?? NaN))),
          ...[percentWithInterval(begun.map(meanOf)), '', '', ''],
        ];
      }),
      ...variants.map((name) => [
        name,
        String(measurementsOf(name).length),
        ...families.map((family) =>
          percentWithInterval(measurementsOf(name).map(({ trained }) => trained[family] ?? NaN)),
        ),
        percentWithInterval(measurementsOf(name).map(({ trained }) => meanOf(trained))),
        percentWithInterval(
          measurementsOf(name).map(({ start, trained }) => meanOf(trained) - meanOf(start)),
          difference,
        ),
        meanWithInterval(measurementsOf(name).map(({ minutes }) => minutes)).mean.toFixed(1),
        meanWithInterval(measurementsOf(name).map(({ learnt, minutes }) => learnt / minutes)).mean.toFixed(0),
      ]),
      ...baselineRow('oracle'),
    ],
    curves: [
      chart('Success while practising', 'success on new training tasks, mean of the families', ({ success }) => {
        const shares = families.map((family) => success[family] ?? NaN).filter(Number.isFinite);
        return shares.reduce((sum, share) => sum + share, 0) / shares.length;
      }),
      chart('Entropy of the policy', 'nats per token', ({ entropy }) => entropy),
      chart('How far an update goes', 'KL divergence in nats per token', ({ kl }) => kl),
      chart('Thoughts', 'sampled tokens of a turn that are its thought', ({ thoughtTokens }) => thoughtTokens),
      chart('Turns', 'turns of an episode', ({ turns }) => turns),
      chart('Critic', 'explained variance of the returns', ({ explainedVariance }) => explainedVariance ?? NaN),
      chart('Values', 'their correlation with the returns', ({ valueCorrelation }) => valueCorrelation ?? NaN),
    ].filter(({ series }) => series.length > 0),
  });
}
