import { type Action, GyreError } from '@gyre/protocol';
import {
  type Engine,
  type ModelInput,
  type SampleRequest,
  type Sampled,
  type Screenshot,
  type Vocabulary,
  contextTokens,
} from '@gyre/engine';
import { batched } from './batched.js';
import { pixels } from './pixels.js';
import type { Assignment, PastTurn, Policy } from './policy.js';

/** The native policy behind an engine: one action a turn, sampled. Decisions of concurrent episodes share batches. */
export function nativePolicy(options: {
  name: string;
  engine: Engine;
  vocabulary: Vocabulary;
  /** 0 takes the most likely token; default 1. */
  temperature?: number;
}): Policy {
  const { engine, vocabulary, temperature = 1 } = options;
  const sample = batched<SampleRequest, Sampled>((requests) => engine.sample(requests), { maxBatch: 32 });
  return {
    name: options.name,
    async decide({ task, screenshots, turns, random }) {
      const seen: Screenshot[] = [];
      for (const frame of screenshots) seen.push({ hash: frame.hash, pixels: await pixels(frame) });
      const input = modelInput(vocabulary, task, turns, seen);
      const sampled = await sample({ input, temperature, seed: Math.floor(random() * 2 ** 32) });
      return { actions: [decode(vocabulary, sampled.tokens)], sample: sampled };
    },
  };
}

/** What the native policy decides from, in an episode as in training: the task, its past, and the last screenshots. */
export function modelInput(
  vocabulary: Vocabulary,
  task: Pick<Assignment, 'instruction'>,
  past: readonly Pick<PastTurn, 'actions'>[],
  screenshots: readonly Screenshot[],
): ModelInput {
  return {
    screenshots,
    clock: past.length,
    tokens: contextTokens(
      vocabulary,
      task.instruction,
      past.map(({ actions }) => actions),
    ),
  };
}

/** A text cut off at the longest action is closed, so that every sample is an action. */
function decode(vocabulary: Vocabulary, tokens: readonly number[]): Action {
  try {
    return vocabulary.decode(tokens);
  } catch (error) {
    if (error instanceof GyreError && error.code === 'bad_input') return { type: 'wait' };
    throw error;
  }
}
