import type { Random } from '@gyre/engine';
import type { PoolSample, SampleOrigin } from '@gyre/lake';

export interface MixtureTerms {
  /** Earlier cycles count as replay. */
  readonly cycle: number;
  readonly limit: number;
  /** Share from earlier cycles, 0..1. */
  readonly replay: number;
  /** Sampling weight. Default 1; 0 excludes. */
  readonly origins: Readonly<Partial<Record<SampleOrigin, number>>>;
  readonly families: Readonly<Record<string, number>>;
}

/** By group; shares sum to 1. */
export interface Mixture {
  readonly groups: ReadonlyMap<string, readonly PoolSample[]>;
  readonly shares: Readonly<Record<string, number>>;
}

/**
 * Draws from a pool. Groups share age (`new` or `old`), origin and family; within one, samples are drawn without
 * replacement by weight (Efraimidis and Spirakis 2006).
 */
export function drawMixture(samples: readonly PoolSample[], terms: MixtureTerms, random: Random): Mixture {
  const newest = Math.max(0, ...samples.map(({ cycle }) => cycle).filter((cycle) => cycle < terms.cycle));
  const candidates = new Map<string, { age: 'new' | 'old'; share: number; samples: PoolSample[] }>();
  for (const sample of samples) {
    const share = (terms.origins[sample.origin] ?? 1) * (terms.families[sample.family] ?? 1);
    if (share <= 0 || sample.cycle >= terms.cycle) continue;
    const age = sample.cycle === newest ? 'new' : 'old';
    const name = `${age} ${sample.origin} ${sample.family}`;
    const group = candidates.get(name) ?? { age, share, samples: [] };
    group.samples.push(sample);
    candidates.set(name, group);
  }
  const total = { new: 0, old: 0 };
  for (const { age, share } of candidates.values()) total[age] += share;
  const ofAge = {
    new: total.old === 0 ? 1 : total.new === 0 ? 0 : 1 - terms.replay,
    old: total.new === 0 ? 1 : total.old === 0 ? 0 : terms.replay,
  };
  const each = Math.max(1, Math.floor(terms.limit / Math.max(1, candidates.size)));
  const groups = new Map<string, PoolSample[]>();
  const shares: Record<string, number> = {};
  for (const [name, { age, share, samples: members }] of candidates) {
    if (ofAge[age] === 0) continue;
    shares[name] = (ofAge[age] * share) / total[age];
    groups.set(
      name,
      members
        .map((sample) => ({ sample, key: random.next() ** (1 / sample.weight) }))
        .sort((a, b) => b.key - a.key)
        .slice(0, each)
        .map(({ sample }) => sample),
    );
  }
  return { groups, shares };
}
