import { type NativeEngine, sceneOf } from '@gyre/engine';
import type { Lake } from '@gyre/lake';
import { ScreenshotReader } from '../rollouts/dataset.js';
import { doesTheSame, sceneDecision, unlessUnlearnable } from '../rollouts/sceneDecision.js';
import type { Demonstration } from './demonstrations.js';

/** Decisions sampled at once, which share batches. */
const together = 32;

/**
 * Returns how many of the turns the policy, without a thought and greedy, decides as their demonstration accepts. One
 * that the policy cannot say counts as wrong.
 */
export async function rightDecisions(
  engine: NativeEngine,
  lake: Lake,
  turns: readonly Demonstration[],
): Promise<number> {
  const reader = new ScreenshotReader(lake, together);
  let right = 0;
  for (let first = 0; first < turns.length; first += together) {
    const decisions = await Promise.all(
      turns.slice(first, first + together).map(async ({ episode, turn, advised }) => {
        const decision = await sceneDecision(episode.unpack(), turn, reader, { advised, thought: false }).catch(
          unlessUnlearnable,
        );
        const { screenshots = [], sequences = [] } = decision?.datum ?? {};
        const [sequence] = sequences;
        if (!sequence?.scene || !screenshots[0]) return undefined;
        const { vocabulary } = sceneOf(screenshots[0], sequence.scene, turn);
        return { sequence, vocabulary, input: { screenshots, scene: sequence.scene, tokens: [], clock: turn } };
      }),
    );
    const known = decisions.filter((decision) => decision !== undefined);
    const sampled = await engine.sample(known.map(({ input }) => ({ input, temperature: 0, thinks: false, seed: 0 })));
    right += known.filter(({ sequence, vocabulary }, i) =>
      doesTheSame(vocabulary, sequence, sampled[i]!.tokens),
    ).length;
  }
  return right;
}
