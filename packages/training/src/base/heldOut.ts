import { type NativeEngine, type NativeSequence, sceneOf, type Vocabulary } from '@gyre/engine';
import type { Lake } from '@gyre/lake';
import { ScreenshotReader } from '../rollouts/dataset.js';
import { sceneDecision, unlessUnlearnable } from '../rollouts/sceneDecision.js';
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
    right += known.filter(({ sequence, vocabulary }, i) => isRight(vocabulary, sequence, sampled[i]!.tokens)).length;
  }
  return right;
}

/** Tells whether sampled tokens say what a demonstration accepts. A cell may be subdivided in any way. */
function isRight(
  vocabulary: Vocabulary,
  { action, equals }: Pick<NativeSequence, 'action' | 'equals'>,
  sampled: readonly number[],
): boolean {
  const decided = withoutOffsets(vocabulary, sampled);
  const demonstrated = withoutOffsets(vocabulary, action);
  return (
    decided.length === demonstrated.length &&
    demonstrated.every((index, step) => {
      const token = sampled[decided[step]!]!;
      return token === action[index] || Boolean(equals?.[index]?.includes(token));
    })
  );
}

function withoutOffsets(vocabulary: Vocabulary, tokens: readonly number[]): number[] {
  return [...tokens.keys()].filter((index) => vocabulary.next(tokens.slice(0, index)) !== 'offset');
}
