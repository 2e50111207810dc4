import { type Chart, writeCurves } from '@gyre/studio';
import { type Measurement, meanWithInterval } from './measurement.js';

const percent = (share: number): string => `${Math.round(100 * share)} %`;

/** Writes a page of means over the seeds with 95 % intervals. */
export async function writeAblations(path: string, measurements: readonly Measurement[]): Promise<void> {
  const variants = [...new Set(measurements.map(({ variant }) => variant))];
  const measurementsOf = (variant: string) => measurements.filter((one) => one.variant === variant);
  const seeds = new Set(measurements.map(({ seed }) => seed)).size;
  const kinds = ['label', 'colour', 'shape'] as const;
  const curves = kinds.map((kind): Chart => ({
    title: { label: 'Click on what is named', colour: 'Click on a colour', shape: 'Click on a shape' }[kind],
    x: 'steps',
    y: 'success on held-out pages',
    series: variants.map((name) => {
      const [first] = measurementsOf(name);
      const rows = (first?.curve ?? []).map(({ step }, i) => ({
        step,
        ...meanWithInterval(measurementsOf(name).map(({ curve }) => curve[i]?.[kind] ?? NaN)),
      }));
      return {
        name,
        points: rows.map(({ step, mean }) => [step, mean] as [number, number]),
        band: rows.map(
          ({ step, low, high }) => [step, Math.max(0, low), Math.min(1, high)] as [number, number, number],
        ),
      };
    }),
  }));
  const interval = (values: readonly number[]): string => {
    const { mean, low, high } = meanWithInterval(values);
    return `${percent(mean)} (${percent(Math.max(0, low))} to ${percent(Math.min(1, high))})`;
  };
  const families = Object.keys(measurements[0]?.tasks ?? {});
  await writeCurves(path, {
    title: 'Why the native policy is built as it is',
    paragraphs: [
      `The native policy at 160 x 160 px with one thing changed at a time, trained from nothing with the same pages, demonstrations and number of optimiser steps. Means over ${seeds} seeds of weights and data order with 95 % intervals (Student); pages and tasks are of the test split: words, fonts and layouts that were not trained on.`,
      'Without a pointer, a place is a column and a row drawn from lists, as in models that write coordinates as tokens. Without convolutions, each cell of 8 x 16 px is seen by itself through two layers of about as many parameters. Demonstrations alone get no rendered pages and no reading loss, and twice the steps on demonstrations.',
    ],
    table: [
      ['variant', 'parameters', 'seconds', ...kinds, ...families.map((family) => `task ${family}`)],
      ...variants.map((name) => [
        name,
        `${((measurementsOf(name)[0]?.parameters ?? 0) / 1e6).toFixed(2)}M`,
        String(Math.round(meanWithInterval(measurementsOf(name).map(({ seconds }) => seconds)).mean)),
        ...kinds.map((kind) => interval(measurementsOf(name).map(({ curve }) => curve.at(-1)?.[kind] ?? NaN))),
        ...families.map((family) => interval(measurementsOf(name).map(({ tasks }) => tasks[family] ?? NaN))),
      ]),
    ],
    curves,
  });
}
