import type { TrainingAnswer } from '../server/trainingWire.js';
import type { UpdatePoint } from '../runs/updateLine.js';
import { meanSuccess } from '../runs/updates.js';
import { type Curve, meanOfCurves } from './curve.js';

export const xModes = ['steps', 'minutes', 'updates'] as const;
export type XMode = (typeof xModes)[number];

/** A diagram of quantities of one unit over the updates of runs. */
export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  /** `whole` is a share whose axis is 0 to 100 %, whatever the values. */
  readonly scale: 'number' | 'share' | 'whole';
  readonly curves: readonly Curve[];
}

type Run = Pick<TrainingAnswer, 'name' | 'updates' | 'settingsKey'>;
type Read = (update: UpdatePoint) => number | null | undefined;

/** Plots what the updates of runs record. With `bySeed`, runs that differ in the seed alone are one curve with its 95 % interval. */
export function trainingPanels(runs: readonly Run[], mode: XMode, { bySeed = false } = {}): Panel[] {
  const groups = bySeed ? groupedBySeed(runs) : runs.map((run) => ({ name: run.name, runs: [run] }));
  const isOne = groups.length === 1;
  const families = [
    ...new Set(runs.flatMap(({ updates }) => updates.flatMap(({ success = {} }) => Object.keys(success)))),
  ];
  const curves = (quantities: readonly (readonly [string, Read, Interval?])[]): Curve[] =>
    quantities.flatMap(([quantity, read, interval]) =>
      groups.flatMap((group) => {
        const name = [isOne ? '' : group.name, quantity].filter((part) => part !== '').join(' · ');
        const each = group.runs.map((run) => curveOf(run, name, mode, read, interval));
        const drawn = each.filter(({ points }) => points.length > 0);
        if (drawn.length === 0) return [];
        return drawn.length === 1 ? drawn : [meanOfCurves(name, drawn)];
      }),
    );
  const ofFamily = (family: string) =>
    [
      family,
      (update: UpdatePoint) => update.success?.[family],
      (update: UpdatePoint) => update.intervals[family],
    ] as const;
  const success = isOne ? families.map(ofFamily) : ([['', meanSuccess]] as const);
  const isCounted = runs.some(({ updates }) => updates.some(({ played }) => played));
  const panels: Panel[] = [
    panel(
      'success',
      'Success in training',
      isOne ? `share of rollouts${isCounted ? ', with 95 % intervals (Wilson)' : ''}` : 'mean of the families',
      'whole',
      curves(success),
    ),
    panel('entropy', 'Entropy', 'nats per token', 'number', curves([['', ({ entropy }) => entropy]])),
    panel('kl', 'KL of the update', 'nats per token (k3)', 'number', curves([['', ({ kl }) => kl]])),
    panel(
      'clipped',
      'Clipped tokens',
      'share',
      'share',
      curves([
        ['below', ({ clippedLow }) => clippedLow],
        ['above', ({ clippedHigh }) => clippedHigh],
      ]),
    ),
    panel(
      'variance',
      'Critic',
      'explained variance of the returns',
      'number',
      curves([['', ({ explainedVariance }) => explainedVariance]]),
    ),
    panel(
      'response',
      'Length of a response',
      'tokens per turn',
      'number',
      curves([
        ['all', ({ responseTokens }) => responseTokens],
        ['thought', ({ thoughtTokens }) => thoughtTokens],
      ]),
    ),
    panel('turns', 'Length of an episode', 'turns', 'number', curves([['', ({ turns }) => turns]])),
    panel(
      'gap',
      'Gap of sampler and trainer',
      'nats per token',
      'number',
      curves([
        ['mean', ({ gap }) => gap],
        ['largest', ({ largestGap }) => largestGap],
      ]),
    ),
    panel(
      'staleness',
      'Staleness',
      'optimiser steps since the sampling',
      'number',
      curves([['', ({ staleness }) => staleness]]),
    ),
    panel(
      'infra',
      'Infrastructure errors',
      'share of rollouts',
      'share',
      curves([['', ({ infraErrorRate }) => infraErrorRate]]),
    ),
    panel(
      'time',
      'Time',
      'share of an update',
      'whole',
      curves(
        (['environment', 'inference', 'update', 'replay'] as const).map(
          (part) => [part, ({ shares }) => shares?.[part]] as const,
        ),
      ),
    ),
  ];
  return panels.filter(({ curves: drawn }) => drawn.length > 0);
}

type Interval = (update: UpdatePoint) => readonly [number, number] | undefined;

const panel = (id: string, title: string, unit: string, scale: Panel['scale'], curves: readonly Curve[]): Panel => ({
  id,
  title,
  unit,
  scale,
  curves,
});

function curveOf({ name: run, updates }: Run, name: string, mode: XMode, read: Read, interval?: Interval): Curve {
  const points = updates.flatMap((update, index) => {
    const y = read(update);
    if (y === undefined || y === null || !Number.isFinite(y)) return [];
    const band = interval?.(update);
    return [{ x: xOf(updates, index, mode), y, ...(band && { low: band[0], high: band[1] }), run, index }];
  });
  return { name, points };
}

/** Minutes count from the start of the first update's rollouts. */
function xOf(updates: readonly UpdatePoint[], index: number, mode: XMode): number {
  const update = updates[index]!;
  if (mode === 'steps') return update.environmentSteps;
  if (mode === 'updates') return index + 1;
  const first = updates[0]!;
  const seconds = (first.rolloutSeconds ?? 0) + (first.updateSeconds ?? 0);
  return (update.time - first.time) / 60_000 + seconds / 60;
}

function groupedBySeed(runs: readonly Run[]): { name: string; runs: Run[] }[] {
  const groups = new Map<string, Run[]>();
  for (const run of runs) {
    const key = run.settingsKey ?? run.name;
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()].map((group) => ({
    name: group.length === 1 ? group[0]!.name : `${group[0]!.name} and ${group.length - 1} more seeds`,
    runs: group,
  }));
}
