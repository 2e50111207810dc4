import { modelInput, pixels } from '@gyre/agent';
import { type Datum, type Screenshot, type Sequence, vocabularyOf } from '@gyre/engine';
import type { Lake } from '@gyre/lake';
import { type Episode, isSdkCall, type Observation } from '@gyre/protocol';

/** Reads screenshots of the lake as pixels, each once. */
export class ScreenshotReader {
  private readonly kept = new Map<string, Promise<Screenshot>>();

  constructor(
    private readonly lake: Lake,
    private readonly bound = 4096,
  ) {}

  read({ screenshot: hash, size }: Observation): Promise<Screenshot> {
    const found = this.kept.get(hash);
    if (found) return found;
    const read = this.lake.screenshot(hash).then(async (png) => ({
      hash,
      pixels: await pixels({ png, hash, size }),
      size,
    }));
    this.kept.set(hash, read);
    read.catch(() => this.kept.delete(hash));
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= this.bound) break;
      this.kept.delete(oldest);
    }
    return read;
  }
}

/** One decision of an episode, with the input that it was made from. */
export interface Decision {
  readonly family: string;
  readonly datum: Datum;
  /** Place of the turn in its episode. */
  readonly turn: number;
}

/** Where within a cell a demonstration clicks hardly matters, and cannot be foretold. */
export const offsetWeight = 0.1;

/**
 * The decisions of an episode as training data: context exactly as the policy saw it; the tokens are those that were
 * sampled, or for a demonstration the tokens of its actions.
 */
export async function decisions(
  episode: Episode,
  screenshots: number,
  reader: ScreenshotReader,
  /** Whether a demonstration's next thought is learnt with its action; always by default. */
  thinks: () => boolean = () => true,
): Promise<Decision[]> {
  const { task } = episode;
  const seen = [episode.observation, ...episode.turns.map(({ observation }) => observation)];
  const out: Decision[] = [];
  for (const [index, turn] of episode.turns.entries()) {
    const [action] = turn.actions;
    // The native policy has no words for calls of the SDK.
    if (!action || isSdkCall(action)) continue;
    const last = seen.slice(Math.max(0, index + 1 - screenshots), index + 1);
    const shots = await Promise.all(last.map((observation) => reader.read(observation)));
    const vocabulary = vocabularyOf(seen[index]?.size ?? task.screen);
    const input = modelInput(vocabulary, task, episode.turns.slice(0, index), shots);
    const tokens = turn.sample?.tokens ?? vocabulary.encode(action, thinks() ? turn.thought : undefined);
    const sequence: Sequence = {
      tokens: input.tokens,
      action: tokens,
      ...(input.clock !== undefined && { clock: input.clock }),
      ...(turn.sample
        ? { logprobs: turn.sample.logprobs }
        : { weights: tokens.map((token) => (vocabulary.allows('offset', token) ? offsetWeight : 1)) }),
    };
    out.push({ family: task.family, turn: index, datum: { screenshots: input.screenshots, sequences: [sequence] } });
  }
  return out;
}
