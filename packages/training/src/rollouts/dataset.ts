import { captured, modelInput, pixels } from '@gyre/agent';
import {
  type Datum,
  type NativeAction,
  type Screenshot,
  type Sequence,
  longestAction,
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
  independentVerdict,
} from '@gyre/protocol';

/** Reads screenshots of the lake as pixels, each once. */
export class ScreenshotReader {
  private readonly cache = new Map<string, Promise<Screenshot>>();

  constructor(
    private readonly lake: Lake,
    private readonly bound = 4096,
  ) {}

  read({ screenshot: hash, size }: Observation): Promise<Screenshot> {
    const cached = this.cache.get(hash);
    if (cached) return cached;
    const read = this.lake.screenshot(hash).then(async (png) => ({
      hash,
      pixels: await pixels({ png, hash, size }),
      size,
    }));
    this.cache.set(hash, read);
    read.catch(() => this.cache.delete(hash));
    for (const oldest of this.cache.keys()) {
      if (this.cache.size <= this.bound) break;
      this.cache.delete(oldest);
    }
    return read;
  }
}

export interface Decision {
  readonly family: string;
  readonly datum: Datum;
  readonly turn: number;
  /** Version of the weights; undefined for demonstrations. */
  readonly policyVersion?: number;
}

/** The click's place in its cell cannot be predicted and hardly matters. */
export const offsetWeight = 0.1;

/**
 * Returns the turns that are decisions of the native policy: neither copied nor SDK calls that its vocabulary cannot
 * express. Captured episodes need sampled tokens in every turn and an independent verifier's verdict.
 */
export function decided(episode: Episode): number[] {
  const { turns, purpose } = episode;
  if (purpose === captured && !(independentVerdict(episode) && turns.every((_, index) => isSampled(episode, index))))
    return [];
  return turns.flatMap((turn, index) => {
    const [action] = turn.actions;
    return action && isNative(action) && !isCopied(episode, turn) ? [index] : [];
  });
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

/** Whether the tokens of a turn, read as the native vocabulary, say what the turn did. */
function isSampled({ observation, turns }: Episode, index: number): boolean {
  const { sample, actions } = turns[index] ?? {};
  const { size } = turns[index - 1]?.observation ?? observation;
  if (!sample || actions?.length !== 1) return false;
  try {
    return vocabularyOf(size).decode(sample.tokens).action.type === actions[0]?.type;
  } catch (error) {
    // Sampled by another model, or for a screen that the native policy cannot see.
    if (error instanceof GyreError) return false;
    throw error;
  }
}

/**
 * Reads an episode's decisions in the context that the policy saw, with the sampled tokens or, for a demonstration,
 * those of its actions.
 */
export async function readDecisions(
  episode: Episode,
  screenshots: number,
  reader: ScreenshotReader,
  options?: Parameters<typeof decision>[4],
): Promise<Decision[]> {
  return Promise.all(decided(episode).map((index) => decision(episode, index, screenshots, reader, options)));
}

/** Reads one decision; `index` must be one of `decided`. */
export async function decision(
  { task, observation, turns }: Episode,
  index: number,
  screenshots: number,
  reader: ScreenshotReader,
  { thought = true }: { thought?: boolean } = {},
): Promise<Decision> {
  const turn = turns[index];
  const action = turn?.actions[0];
  if (!turn || !action || !isNative(action)) throw new RangeError(`turn ${index} is no decision of the native policy`);
  const seen = [observation, ...turns.slice(0, index).map((past) => past.observation)];
  const shots = await Promise.all(seen.slice(-screenshots).map((last) => reader.read(last)));
  const vocabulary = vocabularyOf(seen.at(-1)?.size ?? task.screen);
  const input = modelInput(vocabulary, task, turns.slice(0, index), shots);
  const tokens = turn.sample?.tokens ?? vocabulary.encode(action, thought ? turn.thought : undefined);
  const sequence: Sequence = {
    tokens: input.tokens,
    action: tokens,
    ...(input.clock !== undefined && { clock: input.clock }),
    ...(turn.sample
      ? { logprobs: turn.sample.logprobs }
      : { weights: tokens.map((token) => (vocabulary.allows('offset', token) ? offsetWeight : 1)) }),
  };
  return {
    family: task.family,
    turn: index,
    datum: { screenshots: input.screenshots, sequences: [sequence] },
    ...(turn.sample && { policyVersion: turn.sample.policyVersion }),
  };
}
