import { type MergedDatum, mergedData, type Picture, pictureRuns, piecesOf, type SampledAnswer } from '@gyre/engine';
import type { Lake } from '@gyre/lake';
import { type Episode, isCopied, type Observation, policySample, promptsOf, type Turn } from '@gyre/protocol';

export interface SampledDataOptions {
  readonly lake: Pick<Lake, 'screenshot'>;
  /** Stands for pictures in prompts, such as the id of `<|image_pad|>`. */
  readonly pictureToken: number;
  /** Returns a turn's advantage; undefined leaves the turn out. Default: 0 for all, for `forward` and `cross_entropy`. */
  readonly advantage?: ((turn: Turn) => number | undefined) | undefined;
  /** Weighs each token of a turn. Default 1. */
  readonly weight?: ((turn: Turn) => number) | undefined;
}

/** A datum with the turns that it trains. */
export interface SampledDatum extends MergedDatum {
  /** Indices of the turns in the episode, one per span. */
  readonly turns: readonly number[];
  /** The oldest that sampled one of the turns. */
  readonly policyVersion: number;
}

export interface SampledData {
  readonly data: readonly SampledDatum[];
  /** Turns left out because a placeholder of a picture stands in a text: the policy or a page wrote one. */
  readonly strays: number;
  /** Turns without a stored prompt, or by a person or no model. */
  readonly unprompted: number;
}

/**
 * Makes data of the turns that a served model sampled, token by token: prompts are those that were sent, with
 * screenshots in the place of their placeholders. It stands here and not with the languages since it needs the lake and
 * advantages, and no tokenizer.
 *
 * A prompt's pictures are the newest observations. Copied turns and those of people are never trained on. Prompts that only grow are merged
 * (see `mergedData`); normalise the weights by the number of trained tokens.
 *
 * @throws GyreError `corrupt` for a screenshot that the lake lacks; `bad_input` for a turn without a log-probability per
 *   token
 */
export async function sampledData(episode: Episode, options: SampledDataOptions): Promise<SampledData> {
  const { answers, strays, unprompted } = await sampledAnswers(episode, options);
  const data = mergedData(answers).map((merged): SampledDatum => {
    const sources = merged.spans.map(({ answer }) => answers[answer]!);
    return {
      ...merged,
      turns: sources.map(({ turn }) => turn.index),
      policyVersion: Math.min(...sources.map(({ policyVersion }) => policyVersion)),
    };
  });
  return { data, strays, unprompted };
}

/** The answer of a turn. */
export interface TurnAnswer extends SampledAnswer {
  readonly turn: Turn;
  readonly policyVersion: number;
}

/**
 * Reads the answers that `sampledData` merges, in order.
 *
 * @throws GyreError `corrupt` for a screenshot that the lake lacks
 */
export async function sampledAnswers(
  episode: Episode,
  options: SampledDataOptions,
): Promise<Omit<SampledData, 'data'> & { readonly answers: readonly TurnAnswer[] }> {
  const { pictureToken, advantage = () => 0, weight = () => 1 } = options;
  const prompts = promptsOf(episode);
  const seen = [episode.observation, ...episode.turns.map(({ observation }) => observation)];
  const pictures = new PictureReader(options.lake);
  let [strays, unprompted] = [0, 0];
  const answers: TurnAnswer[] = [];
  let wroteToken = false;
  for (const [index, turn] of episode.turns.entries()) {
    const sample = policySample(turn);
    const ids = prompts[index];
    wroteToken ||= sample?.tokens.includes(pictureToken) ?? false;
    if (isCopied(episode, turn)) continue;
    if (!sample || !ids || sample.tokens.length === 0) {
      unprompted++;
      continue;
    }
    const runs = pictureRuns(ids, pictureToken);
    const observations = runs.length === 0 ? [] : seen.slice(0, index + 1).slice(-runs.length);
    if (wroteToken || observations.length < runs.length || !fitsSizes(runs, observations)) {
      strays++;
      continue;
    }
    const value = advantage(turn);
    if (value === undefined) continue;
    const sources = await Promise.all(observations.map((observation) => pictures.read(observation)));
    const prompt = piecesOf(ids, { runs, pictures: sources });
    const { tokens, logprobs, policyVersion } = sample;
    answers.push({ prompt, tokens, logprobs, policyVersion, turn, advantage: value, weight: weight(turn) });
  }
  return { answers, strays, unprompted };
}

/** Pictures of one size have one length: another run was written by the policy or a page. */
function fitsSizes(runs: readonly { readonly length: number }[], observations: readonly Observation[]): boolean {
  const lengths = new Map<string, number>();
  return observations.every(({ size: { width, height } }, index) => {
    const { length } = runs[index]!;
    const key = `${width} x ${height}`;
    const known = lengths.get(key) ?? length;
    lengths.set(key, known);
    return known === length;
  });
}

/** Reads each screenshot of an episode once. */
class PictureReader {
  readonly #lake: SampledDataOptions['lake'];
  readonly #pictures = new Map<string, Promise<Picture>>();

  constructor(lake: SampledDataOptions['lake']) {
    this.#lake = lake;
  }

  read({ screenshot: hash, size }: Observation): Promise<Picture> {
    const picture = this.#pictures.get(hash) ?? this.#lake.screenshot(hash).then((png) => ({ hash, png, size }));
    this.#pictures.set(hash, picture);
    return picture;
  }
}
