/** Maps data to px, with round ticks. */
export interface Axis {
  readonly ticks: readonly number[];
  position(value: number): number;
  label(tick: number): string;
}

/**
 * Fits `values` between `from` and `to` px.
 *
 * @param options.share an axis of 0..100 %
 * @param options.ticks approximate number
 * @param options.tight ends with the data, not at a tick
 * @param options.whole ticks at whole numbers only
 */
export function axis(
  values: readonly number[],
  from: number,
  to: number,
  options: { share?: boolean; ticks?: number; tight?: boolean; whole?: boolean | undefined } = {},
): Axis {
  const finite = values.filter(Number.isFinite);
  let low = options.share ? 0 : Math.min(...finite);
  let high = options.share ? 1 : Math.max(...finite);
  if (finite.length === 0) [low, high] = [0, 1];
  if (low === high) {
    // Centres a single value.
    const room = low === 0 ? 1 : Math.abs(low) / 2;
    [low, high] = [low - room, high + room];
  }
  const step = options.share ? 0.25 : roundStep(Math.max((high - low) / (options.ticks ?? 5), options.whole ? 1 : 0));
  if (!options.share && !options.tight) {
    low = Math.floor(low / step + 1e-9) * step;
    high = Math.ceil(high / step - 1e-9) * step;
  }
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(i * step + 0);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return {
    ticks,
    position: (value) => from + ((value - low) / (high - low)) * (to - from),
    label: (tick) => (options.share ? `${Math.round(tick * 100)} %` : compact(tick, digits)),
  };
}

/** Returns 1, 2 or 5 times a power of ten, at least `step`. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return ([1, 2, 5].find((factor) => factor * power >= step * 0.999) ?? 10) * power;
}

function compact(value: number, digits: number): string {
  if (value === 0) return '0';
  if (Math.abs(value) >= 1e6) return `${Number((value / 1e6).toFixed(2))}M`;
  if (Math.abs(value) >= 1e4) return `${Number((value / 1e3).toFixed(1))}k`;
  if (digits > 4) return value.toExponential(0);
  return value.toFixed(digits);
}
