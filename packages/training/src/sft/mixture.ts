import type { Random } from '@gyre/engine';
import type { PoolSample, SampleOrigin } from '@gyre/lake';

export interface MixtureTerms {
  /** The cycle that learns: samples of earlier ones are replayed. */
  readonly cycle: number;
  /** Most samples. */
  readonly most: number;
  /** Share of what is drawn that earlier cycles have put there, 0..1. */
  readonly replay: number;
  /** How often samples of an origin are drawn against those of others; 1 where it says nothing, 0 for never. */
  readonly origins: Readonly<Partial<Record<SampleOrigin, number>>>;
  /** And those of a family. */
  readonly families: Readonly<Record<string, number>>;
}

/** Samples of a pool that a stage learns from, by group, with the share of each group in what is drawn; the shares add up to 1. */
export interface Mixture {
  readonly groups: ReadonlyMap<string, readonly PoolSample[]>;
  readonly shares: Readonly<Record<string, number>>;
}

/**
 * Draws samples of a pool by a mixture: groups are of one age (`new`, of the last cycle that put any there, or `old`), origin and
 * family. Each group gives up to as many as any other; within one, samples are drawn without replacement in proportion to their weight
 * (Efraimidis and Spirakis 2006).
 */
export function drawMixture(samples: readonly PoolSample[], terms: MixtureTerms, random: Random): Mixture {
  const newest = Math.max(0, ...samples.map(({ cycle }) => cycle).filter((cycle) => cycle < terms.cycle));
  const all = new Map<string, { age: 'new' | 'old'; share: number; samples: PoolSample[] }>();
  for (const sample of samples) {
    const share = (terms.origins[sample.origin] ?? 1) * (terms.families[sample.family] ?? 1);
    if (share <= 0 || sample.cycle >= terms.cycle) continue;
    const age = sample.cycle === newest ? 'new' : 'old';
    const name = `${age} ${sample.origin} ${sample.family}`;
    const group = all.get(name) ?? { age, share, samples: [] };
    group.samples.push(sample);
    all.set(name, group);
  }
  const total = { new: 0, old: 0 };
  for (const { age, share } of all.values()) total[age] += share;
  const ofAge = {
    new: total.old === 0 ? 1 : total.new === 0 ? 0 : 1 - terms.replay,
    old: total.new === 0 ? 1 : total.old === 0 ? 0 : terms.replay,
  };
  const each = Math.max(1, Math.floor(terms.most / Math.max(1, all.size)));
  const groups = new Map<string, PoolSample[]>();
  const shares: Record<string, number> = {};
  for (const [name, { age, share, samples: of }] of all) {
    if (ofAge[age] === 0) continue;
    shares[name] = (ofAge[age] * share) / total[age];
    groups.set(
      name,
      of
        .map((sample) => ({ sample, key: random.next() ** (1 / sample.weight) }))
        .sort((a, b) => b.key - a.key)
        .slice(0, each)
        .map(({ sample }) => sample),
    );
  }
  return { groups, shares };
}
