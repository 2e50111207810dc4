import { setTimeout as pause } from 'node:timers/promises';
import { checkedNumber } from '../../checkedNumber.js';

/** When an action's effect is complete: the screen changed and is stable again. Times in ms. */
export interface Settle {
  readonly firstChangeMs: number;
  /** Equal captures in a row. */
  readonly stableReads: number;
  /** Interval after the first change. */
  readonly gapMs: number;
  readonly boundMs: number;
}

export const defaultSettle: Settle = { firstChangeMs: 50, stableReads: 2, gapMs: 8, boundMs: 500 };

/** Interval before the first change, doubled each time: captures cost work. */
const lookMs = { first: 1, last: 8 };

export function checkedSettle(settle: Settle): Settle {
  for (const [field, value] of Object.entries(settle)) {
    checkedNumber(`settle.${field}`, value, field === 'stableReads' ? { min: 1, max: 100 } : { min: 0, max: 600_000 });
  }
  return settle;
}

/**
 * Waits until the screen has changed and is stable.
 *
 * @param changed whether it changed since the last call.
 */
export async function settled(
  changed: () => boolean | Promise<boolean>,
  { firstChangeMs, stableReads, gapMs, boundMs }: Settle,
): Promise<void> {
  const start = performance.now();
  const past = () => performance.now() - start;
  for (let ms = lookMs.first; !(await changed()); ms = Math.min(2 * ms, lookMs.last)) {
    if (past() >= Math.min(firstChangeMs, boundMs)) return;
    await pause(ms);
  }
  for (let stable = 1; stable < stableReads && past() < boundMs;) {
    await pause(gapMs);
    stable = (await changed()) ? 1 : stable + 1;
  }
}
