import type { FlywheelResult } from '@gyre/training';
import type { Chart } from './chart.js';

const maxPoints = 150;

export function curvesOf({
  supervised,
  ppo,
  families,
}: Pick<FlywheelResult, 'supervised' | 'ppo' | 'families'>): Chart[] {
  const letters = supervised?.letters?.curve ?? [];
  const sft = supervised?.sft.curve ?? [];
  const steps = 'environment steps';
  const along = (value: (iteration: FlywheelResult['ppo'][number]) => number | undefined): [number, number][] =>
    ppo.flatMap((iteration) => {
      const y = value(iteration);
      return y === undefined || !Number.isFinite(y) ? [] : [[iteration.environmentSteps, y] satisfies [number, number]];
    });
  const charts: Chart[] = [
    {
      title: 'Success during training',
      x: steps,
      y: 'success on new training tasks, sampled',
      series: families.map(({ family }) => ({ name: family, points: along(({ success }) => success[family]) })),
    },
    {
      title: 'Reading letters',
      x: 'steps',
      y: 'cross-entropy per letter, in nats',
      series: [{ name: 'loss', points: averaged(letters.map((s) => [s.step, s.loss])) }],
    },
    {
      title: 'Supervised fine-tuning: demonstrations',
      x: 'steps',
      y: 'cross-entropy in nats per token',
      series: [{ name: 'loss', points: averaged(sft.map((s) => [s.step, s.demonstrationLoss])) }],
    },
    {
      title: 'Supervised fine-tuning: perception',
      x: 'steps',
      y: 'cross-entropy of answers plus weighted reading loss',
      series: [{ name: 'loss', points: averaged(sft.map((s) => [s.step, s.perceptionLoss])) }],
    },
    {
      title: 'Supervised steps between updates',
      x: steps,
      y: 'cross-entropy in nats per token, on successful episodes and demonstrations',
      series: [{ name: 'loss', points: along(({ replay }) => replay?.demonstrationLoss) }],
    },
    {
      title: 'Policy entropy',
      x: steps,
      y: 'nats per token',
      series: [{ name: 'policy', points: along(({ entropy }) => entropy) }],
    },
    {
      title: 'Size of updates',
      x: steps,
      y: 'KL divergence in nats per token (k3 estimate)',
      series: [{ name: 'policy', points: along(({ kl }) => kl) }],
    },
    {
      title: 'Critic',
      x: steps,
      y: 'explained variance of the returns',
      series: [{ name: 'critic', points: along(({ explainedVariance }) => explainedVariance) }],
    },
  ];
  return charts
    .map((chart) => ({ ...chart, series: chart.series.filter(({ points }) => points.length > 0) }))
    .filter(({ series }) => series.length > 0);
}

/** Drops infinite losses. */
export function averaged(points: readonly [number, number][]): [number, number][] {
  const finite = points.filter(([, y]) => Number.isFinite(y));
  const stretch = Math.max(1, Math.ceil(finite.length / maxPoints));
  const means: [number, number][] = [];
  for (let i = 0; i < finite.length; i += stretch) {
    const part = finite.slice(i, i + stretch);
    const mean = (axis: 0 | 1) => part.reduce((sum, point) => sum + point[axis], 0) / part.length;
    means.push([mean(0), mean(1)]);
  }
  return means;
}
