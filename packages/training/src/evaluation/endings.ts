import type { Episode } from '@gyre/protocol';
import { type Share, wilson } from '../metrics/statistics.js';

/** A share of episodes, with its 95 % Wilson interval. */
export interface Rate {
  count: number;
  /** Episodes that could count. */
  n: number;
  share: number;
  low: number;
  high: number;
}

/** Measures what a success rate hides, as MobileGym (Wu et al. 2026) defines it: over all judged episodes. */
export interface Endings {
  /** The agent said that it had finished, and the task was not done. */
  falseCompletes: Rate;
  /** Something else changed than the task asks for. Of episodes whose verifier compares the whole state. */
  sideEffects?: Rate;
}

export type EndedEpisode = Pick<Episode, 'turns' | 'verdict'>;

/** Returns the rates of false completes and side effects. Episodes without a verdict do not count. */
export function endingsOf(episodes: readonly EndedEpisode[]): Endings {
  const judged = episodes.filter(({ verdict }) => verdict !== undefined);
  const compared = judged.flatMap(({ verdict }) => {
    const changes = verdict!.evidence.sideEffects;
    return Array.isArray(changes) ? [changes.length > 0] : [];
  });
  const isFalse = (episode: EndedEpisode) => hasFinished(episode) && !episode.verdict!.success;
  return {
    falseCompletes: rate(judged.map(isFalse)),
    ...(compared.length > 0 && { sideEffects: rate(compared) }),
  };
}

/** Adds rates up, as over one set of episodes. */
export function sumOfRates(rates: readonly Rate[]): Rate {
  const sum = (read: (rate: Rate) => number) => rates.reduce((total, each) => total + read(each), 0);
  return rateOf(
    sum(({ count }) => count),
    sum(({ n }) => n),
  );
}

const hasFinished = ({ turns }: EndedEpisode): boolean =>
  turns.at(-1)?.actions.some(({ type }) => type === 'finished') ?? false;

const rate = (events: readonly boolean[]): Rate => rateOf(events.filter(Boolean).length, events.length);

function rateOf(count: number, n: number): Rate {
  const { success: share, low, high }: Share = n === 0 ? { success: 0, low: 0, high: 1 } : wilson(count, n);
  return { count, n, share, low, high };
}
