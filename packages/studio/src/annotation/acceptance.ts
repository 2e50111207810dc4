import type { Lake, PoolStage } from '@gyre/lake';
import type { Episode, Review } from '@gyre/protocol';

/** Returns the turns of an accepted episode to imitate: a person's, without those that anyone marked as bad. */
function imitableTurns(
  { turns }: Pick<Episode, 'turns'>,
  { lastGoodTurn = Infinity, turns: reviewed = [] }: Pick<Review, 'lastGoodTurn' | 'turns'>,
): number[] {
  const bad = new Set(reviewed.flatMap(({ turn, mark }) => (mark.bad ? [turn] : [])));
  return turns.flatMap(({ index, by, mark }) =>
    by !== undefined && !mark?.bad && !bad.has(index) && index <= lastGoodTurn ? [index] : [],
  );
}

/**
 * Adds an accepted episode to pools: a person's good turns to SFT where the task was done or a good beginning is kept;
 * everything else to CT, which learns transitions.
 *
 * @returns the stages that took it
 */
export async function accept(lake: Lake, episode: Episode, review: Review): Promise<PoolStage[]> {
  const good = imitableTurns(episode, review);
  const isKept = review.success || review.lastGoodTurn !== undefined || episode.turns.some(({ mark }) => mark?.bad);
  const stages: PoolStage[] = [];
  const offer = { episode, origin: 'annotated' as const, cycle: 0 };
  if (isKept && good.length > 0) {
    const { added } = await lake.pool('sft').add([{ ...offer, turns: good }]);
    if (added.length > 0) stages.push('sft');
  }
  if (!review.success && episode.turns.length > 0) {
    const { added } = await lake.pool('ct').add([offer]);
    if (added.length > 0) stages.push('ct');
  }
  return stages;
}
