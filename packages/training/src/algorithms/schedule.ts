import { GyreError } from '@gyre/protocol';

export interface Schedule {
  readonly peak: number;
  /** Linear. Default 0. */
  readonly warmup?: number;
  /** Absent: no decay. */
  readonly steps?: number;
  /** Share of `steps`, 0..1. Default 0.6. */
  readonly decayFrom?: number;
  /** Share of `peak`. Default 0.05. */
  readonly floor?: number;
}

/**
 * Returns a step's rate: linear warm-up, constant, linear decay ("warmup-stable-decay", MiniCPM, arXiv 2404.06395).
 * @param step from 0, may be fractional
 */
export function scheduledRate(
  step: number,
  { peak, warmup = 0, steps = Infinity, decayFrom = 0.6, floor = 0.05 }: Schedule,
): number {
  insist('peak', peak, peak >= 0 && peak < Infinity, 'use 0 or more');
  insist('warmup', warmup, warmup >= 0, 'use 0 or more steps');
  insist('steps', steps, steps > 0, 'use more than 0 steps');
  insist('decayFrom', decayFrom, decayFrom >= 0 && decayFrom <= 1, 'use a share of steps from 0 to 1');
  insist('floor', floor, floor >= 0 && floor <= 1, 'use a share of peak from 0 to 1');

  const rise = warmup > 0 ? Math.min(1, (step + 1) / warmup) : 1;
  if (steps === Infinity || decayFrom === 1) return peak * rise;
  const remaining = Math.min(1, Math.max(0, (steps - step) / (steps * (1 - decayFrom))));
  return peak * Math.min(rise, floor + (1 - floor) * remaining);
}

function insist(field: string, found: number, holds: boolean, fix: string): void {
  if (!holds) throw new GyreError('bad_input', `${field} of the schedule is out of range: ${found}`, { field, fix });
}
