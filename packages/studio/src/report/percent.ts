import type { Family } from './report.js';

/** Formats whole percent, with a decimal near 0 and 100. */
export function percent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 0.5) return Math.max(0.1, value).toFixed(1);
  if (value < 100 && value >= 99.5) return Math.min(99.9, value).toFixed(1);
  return String(Math.round(value));
}

/** Formats `+8 (+2 to +14)`. */
export function signed({ mean, low, high }: Family['gain']): string {
  const points = (value: number) => {
    const rounded = Math.round(value * 100);
    return `${rounded < 0 ? '−' : rounded > 0 ? '+' : ''}${Math.abs(rounded)}`;
  };
  return `${points(mean)} (${points(low)} to ${points(high)})`;
}
