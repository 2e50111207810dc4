import { captured, nativeInput, pixels } from '@gyre/agent';
import {
  type NativeDatum,
  type NativeAction,
  type Screenshot,
  type NativeSequence,
  longestAction,
  sceneVocabularyHash,
  vocabularyHash,
  vocabularyOf,
} from '@gyre/engine';
import type { Lake } from '@gyre/lake';
import {
  type AgentAction,
  type Episode,
  GyreError,
  isCopied,
  isSdkCall,
  type Observation,
  policySample,
  type Sample,
  independentVerdict,
} from '@gyre/protocol';
import { sceneDecision, unlessUnlearnable } from './sceneDecision.js';

export class ScreenshotReader {
  readonly #lake: Lake;
  readonly #bound: number;

  readonly #cache = new Map<string, Promise<Screenshot>>();

  constructor(lake: Lake, bound = 4096) {
    this.#lake = lake;
    this.#bound = bound;
  }

  read({ screenshot: hash, size }: Observation): Promise<Screenshot> {
    const cached = this.#cache.get(hash);
    if (cached) return cached;
    const read = this.#lake.screenshot(hash).then(async (png) => ({
      hash,
      pixels: await pixels({ png, hash, size }),
      size,
    }));
    this.#cache.set(hash, read);
    read.catch(() => this.#cache.delete(hash));
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= this.#bound) break;
      this.#cache.delete(oldest);
    }
    return read;
  }
}

export interface Decision {
  readonly family: string;
  readonly datum: NativeDatum;
  readonly turn: number;
  /** Undefined for demonstrations. */
  readonly policyVersion?: number;
}

/** How a policy sees an episode. */
export interface DecisionView {
  /** Maximum in a decision's context. */
  readonly screenshots: number;
  /** Whether it has a reader. Its decisions are scenes. */
  readonly reads: boolean;
}

export interface DecisionOptions {
  /** Includes a demonstration's thought. Default true. */
  readonly thought?: boolean;
}

/** A click's place within its cell is unpredictable and hardly matters. */
export const offsetWeight = 0.1;

/**
 * Returns the turns that are native decisions: neither copied nor marked as bad by a person, nor SDK calls beyond its vocabulary. Captured episodes
 * need sampled tokens in every turn and an independent verdict. A policy with a reader needs a reading of the screen.
 */
export function trainableTurns(episode: Episode, { reads }: Pick<DecisionView, 'reads'>): number[] {
  const { turns, purpose } = episode;
  const natively = turns.map((_, index) => isSampledNatively(episode, index, reads));
  if (purpose === captured && !(independentVerdict(episode) && natively.every((sampled) => sampled === true)))
    return [];
  return turns.flatMap((turn, index) => {
    const [action] = turn.actions;
    const isForeign = natively[index] === false;
    const isUnread = reads && turn.reading === undefined;
    const isMine = !isCopied(episode, turn) && !turn.mark?.bad;
    return action && isNative(action) && !isForeign && !isUnread && isMine ? [index] : [];
  });
}

/** Turns of people are demonstrations. */
function sampleAt({ turns }: Episode, index: number): Sample | undefined {
  const turn = turns[index];
  return turn && policySample(turn);
}

function isNative(action: AgentAction): action is NativeAction {
  if (!isSdkCall(action)) return true;
  if (action.type !== 'execute_bash' || action.command === '') return false;
  if (action.input !== undefined || action.seconds !== undefined) return false;
  try {
    return vocabularyOf({ width: 160, height: 160 }).encode(action).length <= longestAction;
  } catch (error) {
    if (error instanceof GyreError) return false;
    throw error;
  }
}

/**
 * Returns whether a turn's tokens are native; undefined if it was not sampled. Older lakes do not name the vocabulary,
 * so tokens must spell a whole native turn of the executed type. So must captured ones, since an agent may truncate
 * texts.
 */
function isSampledNatively(
  { observation, purpose, turns }: Episode,
  index: number,
  reads: boolean,
): boolean | undefined {
  const turn = turns[index];
  const sample = turn && policySample(turn);
  if (!sample) return undefined;
  const { actions } = turn;
  if (reads) return sample.vocabulary === sceneVocabularyHash;
  const { model, vocabulary } = sample;
  if (vocabulary === undefined ? model !== undefined : vocabulary !== vocabularyHash) return false;
  if (vocabulary !== undefined && purpose !== captured) return true;
  const { size } = turns[index - 1]?.observation ?? observation;
  try {
    return actions.length === 1 && vocabularyOf(size).decode(sample.tokens).action.type === actions[0]?.type;
  } catch (error) {
    // Another model's tokens, or a screen that the native policy cannot see.
    if (error instanceof GyreError) return false;
    throw error;
  }
}

/**
 * Reads decisions in the policy's context, with the sampled tokens or, for a demonstration, its actions' tokens.
 * Demonstrated turns that a policy with a reader cannot say, because the reader misread their text, are left out.
 */
export async function readDecisions(
  episode: Episode,
  view: DecisionView,
  reader: ScreenshotReader,
  options?: DecisionOptions,
): Promise<Decision[]> {
  const decisions = trainableTurns(episode, view).map((index) => {
    const read = decision(episode, index, view, reader, options);
    return view.reads && !sampleAt(episode, index) ? read.catch(unlessUnlearnable) : read;
  });
  return (await Promise.all(decisions)).filter((read) => read !== undefined);
}

/** Throws 'bad_input' for a turn outside `trainableTurns`. */
export function decision(
  episode: Episode,
  index: number,
  { screenshots, reads }: DecisionView,
  reader: ScreenshotReader,
  options?: DecisionOptions,
): Promise<Decision> {
  return reads
    ? sceneDecision(episode, index, reader, options)
    : pixelDecision(episode, index, screenshots, reader, options);
}

async function pixelDecision(
  episode: Episode,
  index: number,
  screenshots: number,
  reader: ScreenshotReader,
  { thought = true }: DecisionOptions = {},
): Promise<Decision> {
  const { task, observation, turns } = episode;
  const turn = turns[index];
  const action = turn?.actions[0];
  const sample = sampleAt(episode, index);
  if (sample && !isSampledNatively(episode, index, false)) {
    const { model = 'an unknown model', vocabulary = 'unknown' } = sample;
    throw new GyreError(
      'bad_input',
      `turn ${index} of ${episode.id} was sampled by ${model} (vocabulary: ${vocabulary})`,
      {
        field: 'sample',
        fix: `train on episodes sampled with the vocabulary ${vocabularyHash}`,
      },
    );
  }
  if (!turn || !action || !isNative(action)) {
    throw new GyreError('bad_input', `turn ${index} of ${episode.id} is not a decision of the native policy`, {
      field: 'index',
      fix: 'choose one of trainableTurns',
    });
  }
  const seen = [observation, ...turns.slice(0, index).map((past) => past.observation)];
  const shots = await Promise.all(seen.slice(-screenshots).map((last) => reader.read(last)));
  const vocabulary = vocabularyOf(seen.at(-1)?.size ?? task.screen);
  const input = nativeInput(vocabulary, task, turns.slice(0, index), shots);
  const tokens = sample?.tokens ?? vocabulary.encode(action, thought ? turn.thought : undefined);
  const sequence: NativeSequence = {
    tokens: input.tokens,
    action: tokens,
    ...(input.clock !== undefined && { clock: input.clock }),
    ...(sample
      ? { logprobs: sample.logprobs }
      : { weights: tokens.map((token) => (vocabulary.allows('offset', token) ? offsetWeight : 1)) }),
  };
  return {
    family: task.family,
    turn: index,
    datum: { screenshots: input.screenshots, sequences: [sequence] },
    ...(sample && { policyVersion: sample.policyVersion }),
  };
}
