import { sceneContext } from '@gyre/agent';
import {
  acceptedTurn,
  type NativeAction,
  type NativeSequence,
  Random,
  sceneOf,
  sceneVocabularyHash,
  type Screenshot,
  type Vocabulary,
} from '@gyre/engine';
import { type Episode, GyreError, type PixelBox, policySample } from '@gyre/protocol';
import type { Decision, DecisionOptions, ScreenshotReader } from './dataset.js';

export interface SceneDecisionOptions extends DecisionOptions {
  /** Trains what the oracle advised in the turn's state, in place of what was done there. */
  readonly advised?: boolean;
}

/**
 * Reads a turn as a policy with a reader decides it: with the sampled tokens or, for a demonstration, all tokens that
 * do the same. Throws 'bad_input' for a turn that such a policy cannot learn.
 */
export async function sceneDecision(
  episode: Episode,
  index: number,
  reader: ScreenshotReader,
  { advised = false, thought = true }: SceneDecisionOptions = {},
): Promise<Decision> {
  const { task, observation, turns } = episode;
  const turn = turns[index];
  const before = turns[index - 1]?.observation ?? observation;
  if (!turn?.reading) {
    throw new GyreError('bad_input', `turn ${index} of ${episode.id} has no reading of its screen`, {
      field: 'reading',
      fix: 'collect episodes with a reader',
    });
  }
  const screenshot: Screenshot = { ...(await reader.read(before)), lines: turn.reading.lines };
  const scene = sceneContext(task, observation, turns.slice(0, index));
  const common = { tokens: [], scene, clock: index };
  const sampled = advised ? undefined : policySample(turn);
  let sequence: NativeSequence;
  if (sampled) {
    if (sampled.vocabulary !== sceneVocabularyHash) {
      throw new GyreError('bad_input', `turn ${index} of ${episode.id} was not sampled by a policy with a reader`, {
        field: 'sample',
        fix: `train on episodes sampled with the vocabulary ${sceneVocabularyHash}`,
      });
    }
    sequence = { ...common, action: sampled.tokens, logprobs: sampled.logprobs };
  } else {
    const label = labelOf(episode, index, advised);
    const random = new Random(task.seed).fork(`${episode.id} ${index}`);
    const accepted = acceptedTurn(sceneOf(screenshot, scene, index), label.action, {
      ...{ targets: label.targets, random: () => random.next() },
      ...(thought && !advised && turn.thought !== undefined && { thought: turn.thought }),
    });
    sequence = { ...common, ...accepted };
  }
  return {
    family: task.family,
    turn: index,
    datum: { screenshots: [screenshot], sequences: [sequence] },
    ...(sampled && { policyVersion: sampled.policyVersion }),
  };
}

/** Returns undefined for what `sceneDecision` throws because of the turn itself, and throws anything else. */
export function unlessUnlearnable(error: unknown): undefined {
  if (!(error instanceof GyreError && error.code === 'bad_input')) throw error;
}

function labelOf(
  { id, turns }: Episode,
  index: number,
  advised: boolean,
): { action: NativeAction; targets: readonly (PixelBox | null)[] | undefined } {
  const { actions, targets } = (advised ? turns[index]?.advice : turns[index]) ?? {};
  const [action] = actions ?? [];
  if (action && actions?.length === 1) return { action: action as NativeAction, targets };
  throw new GyreError('bad_input', `turn ${index} of ${id} is not one action`, {
    field: 'actions',
    fix: 'use one action per turn',
  });
}

/** Tells whether sampled tokens say what a demonstration accepts. A cell may be subdivided in any way. */
export function doesTheSame(
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
