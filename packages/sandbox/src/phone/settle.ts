import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';

/**
 * When an action has had its effect: the screen has changed, and stands still again. Times in ms; each look at a phone
 * takes a picture, so a few tenths of a second.
 */
export interface PhoneSettle {
  /** How long the first change may take; after that the action has none. */
  readonly firstChangeMs: number;
  /** How many looks in a row must show the same. */
  readonly stableReads: number;
  /** Time between two looks. */
  readonly gapMs: number;
  /** Time after which a screen that never stands still is taken as it is. */
  readonly boundMs: number;
}

export const defaultPhoneSettle: PhoneSettle = { firstChangeMs: 500, stableReads: 2, gapMs: 50, boundMs: 3_000 };

/** Throws `bad_input` for what is not a number of the right kind. */
export function checkedPhoneSettle(settle: PhoneSettle): PhoneSettle {
  for (const [field, value] of Object.entries(settle) as [string, number][]) {
    const least = field === 'stableReads' ? 1 : 0;
    if (Number.isFinite(value) && value >= least) continue;
    throw new GyreError('bad_input', `${field} is ${value}`, {
      field: `settle.${field}`,
      fix: `give ${least} or more`,
    });
  }
  return settle;
}

/**
 * Waits until the screen has changed and then stands still, within the bounds.
 *
 * @param changed looks: has the screen changed since the last look?
 */
export async function phoneSettled(
  changed: () => Promise<boolean>,
  { firstChangeMs, stableReads, gapMs, boundMs }: PhoneSettle,
): Promise<void> {
  const start = performance.now();
  const past = () => performance.now() - start;
  while (!(await changed())) {
    if (past() >= Math.min(firstChangeMs, boundMs)) return;
    await pause(gapMs);
  }
  for (let stable = 1; stable < stableReads && past() < boundMs;) {
    await pause(gapMs);
    stable = (await changed()) ? 1 : stable + 1;
  }
}
