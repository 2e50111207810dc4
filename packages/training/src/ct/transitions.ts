import { type NativeSequence, contextTokens, longestAction, vocabularyOf } from '@gyre/engine';
import { type Episode, GyreError, isCopied, isSdkCall } from '@gyre/protocol';
import { type Decision, type ScreenshotReader, offsetWeight } from '../rollouts/dataset.js';

/** Uses words of the policy's vocabulary. */
const transitionInstruction = 'what was done?';

const idle: ReadonlySet<string> = new Set(['screenshot', 'wait', 'finished', 'call_user']);

/**
 * Asks for the action between two screens (inverse dynamics; Baker et al. 2022, arXiv 2206.11795). Only single-action
 * turns that changed the screen count.
 */
export async function transitions(
  episode: Episode,
  reader: Pick<ScreenshotReader, 'read'>,
  only?: readonly number[],
): Promise<Decision[]> {
  const out: Decision[] = [];
  for (const [index, turn] of episode.turns.entries()) {
    // The original episode contributes copied turns.
    if ((only && !only.includes(index)) || isCopied(episode, turn)) continue;
    const [action, ...others] = turn.actions;
    if (!action || others.length > 0 || isSdkCall(action) || idle.has(action.type)) continue;
    const before = index === 0 ? episode.observation : episode.turns[index - 1]?.observation;
    const after = turn.observation;
    if (!before || before.screenshot === after.screenshot) continue;
    if (before.size.width !== after.size.width || before.size.height !== after.size.height) continue;
    const vocabulary = vocabularyOf(after.size);
    const tokens = encoded(() => vocabulary.encode(action));
    if (!tokens || tokens.length > longestAction) continue;
    const sequence: NativeSequence = {
      tokens: contextTokens(vocabulary, transitionInstruction, []),
      action: tokens,
      weights: tokens.map((token) => (vocabulary.allows('offset', token) ? offsetWeight : 1)),
    };
    const screenshots = [await reader.read(before), await reader.read(after)];
    out.push({ family: episode.task.family, turn: index, datum: { screenshots, sequences: [sequence] } });
  }
  return out;
}

function encoded(encode: () => number[]): number[] | undefined {
  try {
    return encode();
  } catch (error) {
    if (error instanceof GyreError && error.code === 'bad_input') return undefined;
    throw error;
  }
}
