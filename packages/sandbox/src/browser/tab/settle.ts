import { setTimeout as pause } from 'node:timers/promises';
import { checkedNumber } from '../../checkedNumber.js';

/** When an action has had its effect: the screen has changed, and stands still again. Times in ms. */
export interface Settle {
  /** Time limit of the first change. */
  readonly firstChangeMs: number;
  /** Number of equal looks in a row. */
  readonly stableReads: number;
  /** Time between two looks at a screen that has changed. */
  readonly gapMs: number;
  /** Time after which a screen that never stands still is taken as it is. */
  readonly boundMs: number;
}

export const defaultSettle: Settle = { firstChangeMs: 50, stableReads: 2, gapMs: 8, boundMs: 500 };

/** Time between two looks at a screen that has not changed yet: it doubles from the first on, since each look is work. */
const lookMs = { first: 1, last: 8 };

/** Throws `bad_input` for what is not a number of the right kind. */
export function checkedSettle(settle: Settle): Settle {
  for (const [field, value] of Object.entries(settle)) {
    checkedNumber(
      `settle.${field}`,
      value,
      field === 'stableReads' ? { least: 1, most: 100 } : { least: 0, most: 600_000 },
    );
  }
  return settle;
}

/**
 * Waits until the screen has changed and then stands still, within the bounds.
 *
 * @param changed whether the screen has changed since the last time that it was asked.
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
