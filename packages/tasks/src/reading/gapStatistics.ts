import type { Rate } from './measuredNoise.js';
import { misjudgedRange } from './wordLines.js';

/** Fits the gap at which a reader parts lines. */
export class GapStatistics {
  readonly #gaps: { readonly gap: number; readonly joined: boolean }[] = [];

  /** @param gap in em */
  add(gap: number, joined: boolean): void {
    this.#gaps.push({ gap, joined });
  }

  /**
   * Returns the width, in em, that explains the most gaps, and the share of gaps that were compared with a random width
   * instead: those that it does not explain, over the sum of the probabilities that a random width misjudges a gap.
   */
  fit(): { widestGap: number; misjudged: Rate } {
    const { from, to } = misjudgedRange;
    const gaps = this.#gaps.toSorted((a, b) => a.gap - b.gap);
    let errors = gaps.filter(({ joined }) => joined).length;
    let best = { errors, room: gaps[0]?.gap ?? to, widestGap: 0 };
    for (const [index, { gap, joined }] of gaps.entries()) {
      errors += joined ? -1 : 1;
      const next = gaps[index + 1]?.gap ?? to;
      const room = next - gap;
      // Among equals the widest room: gaps within it would be judged by chance.
      if (errors < best.errors || (errors === best.errors && room > best.room))
        best = { errors, room, widestGap: (gap + next) / 2 };
    }
    const chances = gaps.reduce((sum, { gap }) => {
      const below = Math.min(Math.max((gap - from) / (to - from), 0), 1);
      return sum + (gap < best.widestGap ? below : 1 - below);
    }, 0);
    return {
      widestGap: best.widestGap,
      misjudged: { errors: best.errors, chances: Math.max(best.errors, Math.round(chances)) },
    };
  }
}
