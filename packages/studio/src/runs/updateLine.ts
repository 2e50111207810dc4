import { wilson } from '@gyre/training';
import { z } from 'zod';

const number = z.number().optional().catch(undefined);
const byFamily = z.record(z.string(), z.number().nullable()).catch({});

/** JSON writes NaN as null. Fields of other algorithms and versions may be absent. */
const Line = z.object({
  at: z.iso.datetime(),
  iteration: number,
  environmentSteps: z.number(),
  episodes: number,
  success: byFamily.optional(),
  played: byFamily.optional(),
  reward: number,
  turns: number,
  responseTokens: number,
  thoughtTokens: number,
  infraErrors: number,
  infraErrorRate: number,
  entropy: number,
  kl: number,
  clippedLow: number,
  clippedHigh: number,
  gradientNorm: number,
  explainedVariance: number,
  learningRate: number,
  rolloutSeconds: number,
  updateSeconds: number,
  gap: z.object({ mean: number, largest: number }).optional().catch(undefined),
  staleness: z.record(z.string(), z.number()).optional().catch(undefined),
  shares: z.record(z.string(), z.number().nullable()).optional().catch(undefined),
  groups: z.object({ tasks: z.number(), allSucceeded: z.number(), allFailed: z.number() }).optional().catch(undefined),
});

/** An update as curves show it. Undefined where it was not measured. */
export interface UpdatePoint extends Omit<z.infer<typeof Line>, 'at' | 'staleness' | 'gap'> {
  /** ms since 1970. */
  readonly time: number;
  /** Between the log-probabilities of sampler and trainer, in nats a token. */
  readonly gap: number | undefined;
  readonly largestGap: number | undefined;
  /** 95 % intervals (Wilson) of the success by family, where the number of episodes is known. */
  readonly intervals: Readonly<Record<string, readonly [number, number]>>;
  /** Mean age of the sampling weights, in optimiser steps. */
  readonly staleness: number | undefined;
}

/** Reads a line of `updates.jsonl`; undefined if it is none, as the last line of a killed process. */
export function updatePoint(text: string): UpdatePoint | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const read = Line.safeParse(json);
  if (!read.success) return undefined;
  const { at: recorded, staleness, gap, ...rest } = read.data;
  return {
    ...rest,
    time: Date.parse(recorded),
    ...{ gap: gap?.mean, largestGap: gap?.largest, staleness: staleness && meanAge(staleness) },
    intervals: intervalsOf(rest),
  };
}

function meanAge(staleness: Readonly<Record<string, number>>): number | undefined {
  const ages = Object.entries(staleness).filter(([age]) => Number.isFinite(Number(age)));
  const decisions = ages.reduce((sum, [, n]) => sum + n, 0);
  return decisions === 0 ? undefined : ages.reduce((sum, [age, n]) => sum + Number(age) * n, 0) / decisions;
}

function intervalsOf({ success = {}, played = {} }: Pick<UpdatePoint, 'success' | 'played'>): UpdatePoint['intervals'] {
  const entries = Object.entries(success).flatMap(([family, share]) => {
    const n = played[family] ?? 0;
    if (share === null || share < 0 || share > 1 || n <= 0 || !Number.isInteger(n)) return [];
    const { low, high } = wilson(Math.round(share * n), n);
    return [[family, [low, high]] as const];
  });
  return Object.fromEntries(entries);
}
