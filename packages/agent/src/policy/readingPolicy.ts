import { type NativeEngine, sceneVocabularyHash } from '@gyre/engine';
import { GyreError, printT5 } from '@gyre/protocol';
import { sceneContext } from '../language/sceneContext.js';
import { pixels } from '../loop/pixels.js';
import type { Policy } from './policy.js';

export interface ReadingPolicyOptions {
  readonly name: string;
  /** Of an architecture with a reader. */
  readonly engine: NativeEngine;
  /** 0 is greedy. Default 1. */
  readonly temperature?: number | undefined;
  /** Default 1. */
  readonly topP?: number | undefined;
  /** Default: as trained. */
  readonly thinks?: boolean | undefined;
}

/**
 * Plays one action per turn from the screen's text and pixels. Observations must carry a reading, except of screens
 * without text. Concurrent episodes share inference batches.
 */
export function readingPolicy({ name, engine, temperature = 1, topP = 1, thinks }: ReadingPolicyOptions): Policy {
  return {
    name,
    async decide({ task, screenshots, start, turns, random }) {
      const frame = screenshots.at(-1);
      if (!frame) throw new GyreError('bug', 'a decision has no screenshot');
      const screenshot = {
        ...{ hash: frame.hash, size: frame.size, pixels: await pixels(frame) },
        lines: frame.reading?.lines,
      };
      const input = {
        ...{ screenshots: [screenshot], tokens: [], clock: turns.length },
        scene: sceneContext(task, start, turns),
      };
      const seed = Math.floor(random() * 2 ** 32);
      const [sampled] = await engine.sample([{ input, temperature, topP, thinks, seed }]);
      if (!sampled) throw new GyreError('bug', 'the engine returned no sample for a request');
      const { tokens, logprobs, policyVersion } = sampled;
      // A turn that was cut off is an action, too.
      const { action, thought } = sampled.turn ?? { action: { type: 'wait' as const } };
      const turn = { ...(thought !== undefined && { thought }), actions: [action] };
      const sample = { tokens, logprobs, policyVersion, model: name, vocabulary: sceneVocabularyHash };
      return { ...turn, text: printT5(turn), sample };
    },
  };
}
