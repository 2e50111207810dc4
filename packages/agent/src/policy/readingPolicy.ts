import { type NativeEngine, sceneVocabularyHash } from '@gyre/engine';
import { type Frame, GyreError, printT5, type Reading, type Size } from '@gyre/protocol';
import { sceneContext } from '../language/sceneContext.js';
import { pixels } from '../loop/pixels.js';
import type { Policy } from './policy.js';

/** RGB bytes `[height, width, 3]`. */
interface Screen {
  readonly pixels: Uint8Array;
  readonly size: Size;
}

/** Reads screenshots: a `Reader` of `@gyre/reader`. */
export interface ScreenReader {
  read(screen: Screen, previous?: { readonly screen: Screen; readonly reading: Reading }): Promise<Reading>;
}

export interface ReadingPolicyOptions {
  readonly name: string;
  /** Of an architecture with a reader. */
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

/** Episodes whose last screen is remembered, to read only what has changed. */
const maxEpisodes = 64;

/** Plays one action per turn from the screen's text and pixels. Concurrent episodes share inference batches. */
export function readingPolicy(options: ReadingPolicyOptions): Policy {
  const { name, engine, reader, temperature = 1, topP = 1, thinks } = options;
  const earlier = new Map<string, { readonly screen: Screen; readonly reading: Reading }>();

  const readingOf = async (frame: Frame, screen: Screen, episodeId: string): Promise<Reading> => {
    if (frame.reading) return frame.reading;
    const reading = await reader.read(screen, earlier.get(episodeId));
    earlier.delete(episodeId);
    earlier.set(episodeId, { screen, reading });
    if (earlier.size > maxEpisodes) earlier.delete(earlier.keys().next().value ?? '');
    return reading;
  };

  return {
    name,
    async decide({ task, screenshots, start, turns, random, episodeId }) {
      const frame = screenshots.at(-1);
      if (!frame) throw new GyreError('bug', 'a decision has no screenshot');
      const screen = { pixels: await pixels(frame), size: frame.size };
      const reading = await readingOf(frame, screen, episodeId);
      const input = {
        screenshots: [{ ...screen, hash: frame.hash, lines: reading.lines }],
        ...{ tokens: [], clock: turns.length, scene: sceneContext(task, start, turns) },
      };
      const seed = Math.floor(random() * 2 ** 32);
      const [sampled] = await engine.sample([{ input, temperature, topP, thinks, seed }]);
      if (!sampled) throw new GyreError('bug', 'the engine returned no sample for a request');
      const { tokens, logprobs, policyVersion } = sampled;
      // A turn that was cut off is an action, too.
      const { action, thought } = sampled.turn ?? { action: { type: 'wait' as const } };
      const turn = { ...(thought !== undefined && { thought }), actions: [action] };
      const sample = { tokens, logprobs, policyVersion, model: name, vocabulary: sceneVocabularyHash };
      return { ...turn, text: printT5(turn), sample, reading };
    },
  };
}
