/** One variant with one seed, on held-out pages and tasks. */
export interface Measurement {
  variant: string;
  seed: number;
  parameters: number;
  /** Training without evaluation. */
  seconds: number;
  /** Shares of correct answers on held-out pages, by step of supervised training. */
  curve: { step: number; label: number; colour: number; shape: number }[];
  /** Shares of held-out tasks solved at temperature 1. */
  tasks: Record<string, number>;
}

/** Returns the mean with its 95 % interval by Student's t. */
export function meanWithInterval(values: readonly number[]): { mean: number; low: number; high: number } {
  const n = values.length;
  const mean = values.reduce((a, b) => a + b, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, n - 1);
  const reach = (quantiles[n - 1] ?? 1.96) * Math.sqrt(variance / n);
  return { mean, low: mean - reach, high: mean + reach };
}

/** Formats a share or a difference in whole per cent: `42`, `−3`. */
export function percent(value: number): string {
  const text = (100 * value).toFixed(0);
  return text === '-0' ? '0' : text.replace('-', '−');
}

/** Formats the mean in per cent with its 95 % interval, cut off at the bounds. */
export function percentWithInterval(
  values: readonly number[],
  { min: min = 0, max = 1 }: { min?: number; max?: number } = {},
): string {
  const { mean, low, high } = meanWithInterval(values);
  return `${percent(mean)} (${percent(Math.max(min, low))} to ${percent(Math.min(max, high))})`;
}

/** Bounds of a difference between two shares. */
export const difference = { min: -1, max: 1 };

/** Student's t at 97.5 %, by degrees of freedom. */
const quantiles = [Infinity, 12.706, 4.303, 3.182, 2.776, 2.571];
