import { type NativeEngine, type NativeSampled, type NativeSampleRequest, sceneVocabularyHash } from '@gyre/engine';
import { GyreError, printT5, type TurnMessage } from '@gyre/protocol';
import { sceneContext } from '../language/sceneContext.js';
import type { Oracle, Policy } from './policy.js';
import { type ScreenReader, ScreenTexts } from './screenTexts.js';

export interface ReadingPolicyOptions {
  readonly name: string;
  /** Its architecture has a reader. */
  readonly engine: NativeEngine;
  /** Reads the frames that carry no reading. */
  readonly reader: ScreenReader;
  /** 0 is greedy. Default 1. */
  readonly temperature?: number | undefined;
  /** Default 1. */
  readonly topP?: number | undefined;
  /** Default: as trained. */
  readonly thinks?: boolean | undefined;
}

/** Plays one action per turn from the screen's text and pixels. Concurrent episodes share inference batches. */
export function readingPolicy(options: ReadingPolicyOptions): Policy {
  const { name, engine, reader, temperature = 1, topP = 1, thinks } = options;
  const texts = new ScreenTexts(reader);
  return {
    name,
    async decide({ task, screenshots, start, turns, random, episodeId }) {
      const { reading, ...screen } = await texts.read(screenshots.at(-1), episodeId);
      const input = {
        screenshots: [{ ...screen, lines: reading.lines }],
        ...{ tokens: [], clock: turns.length, scene: sceneContext(task, start, turns) },
      };
      const seed = Math.floor(random() * 2 ** 32);
      const { turn, sampled } = await sampleTurn(engine, { input, temperature, topP, thinks, seed });
      const { tokens, logprobs, policyVersion } = sampled;
      const sample = { tokens, logprobs, policyVersion, model: name, vocabulary: sceneVocabularyHash };
      return { ...turn, text: printT5(turn), sample, reading };
    },
  };
}

/** Lets an oracle read what a policy with a reader would, so that its turns become demonstrations for one. */
export function readingOracle(oracle: Oracle, reader: ScreenReader): Oracle {
  const texts = new ScreenTexts(reader);
  return {
    ...oracle,
    async solve(solution, context) {
      const { reading } = await texts.read(context.screenshots.at(-1), context.episodeId);
      return { ...(await oracle.solve(solution, context)), reading };
    },
  };
}

/** Samples a turn of a policy with a reader. */
export async function sampleTurn(
  engine: NativeEngine,
  request: NativeSampleRequest,
): Promise<{ turn: TurnMessage; sampled: NativeSampled }> {
  const [sampled] = await engine.sample([request]);
  if (!sampled) throw new GyreError('bug', 'the engine returned no sample for a request');
  // A turn that was cut off is an action, too.
  const { action, thought } = sampled.turn ?? { action: { type: 'wait' as const } };
  return { turn: { ...(thought !== undefined && { thought }), actions: [action] }, sampled };
}
