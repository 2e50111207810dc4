import type { Output } from '../executable.js';
import type { ParameterStore } from '../parameters.js';
import { Random } from '../random.js';
import { longestAction, longestContext } from './architecture.js';
import { batches, contextBucket } from './bucket.js';
import type { CompiledGraphs } from './compiled.js';
import type { Encoder } from './encoder.js';
import type { SampleRequest, Sampled } from './engine.js';
import { prefillGraph, stepGraph } from './graphs.js';
import { type Row, layout, slotOf } from './layout.js';
import { type Model, blocked } from './model.js';
import type { TokenClass, Vocabulary } from './vocabulary.js';

const batchSizes = [1, 2, 4, 8, 16];

/** Samples whole actions under the action grammar, many requests at once, with keys and values kept between tokens. */
export class Sampler {
  constructor(
    private readonly model: Model,
    private readonly parameters: ParameterStore,
    private readonly graphs: CompiledGraphs,
    private readonly encoder: Encoder,
  ) {}

  async sample(requests: readonly SampleRequest[], policyVersion: number): Promise<Sampled[]> {
    const out = new Array<Sampled>(requests.length);
    const byBucket = new Map<number, number[]>();
    for (const [index, { input }] of requests.entries()) {
      const bucket = contextBucket(input.tokens.length);
      byBucket.set(bucket, [...(byBucket.get(bucket) ?? []), index]);
    }
    for (const [context, indices] of byBucket) {
      for (const { from, rows, size } of batches(indices.length, batchSizes)) {
        const chosen = indices.slice(from, from + rows);
        const sampled = await this.batch(
          chosen.map((index) => requests[index] as SampleRequest),
          size,
          context,
        );
        for (const [i, index] of chosen.entries()) out[index] = { ...(sampled[i] as Draft), policyVersion };
      }
    }
    return out;
  }

  private async batch(requests: readonly SampleRequest[], size: number, context: number): Promise<Draft[]> {
    const { model, parameters } = this;
    const { vocabulary } = model;
    const drafts = requests.map(({ seed }) => ({
      tokens: [] as number[],
      logprobs: [] as number[],
      random: new Random(seed),
    }));
    const features = await this.encoder.stacked(
      requests.map(({ input }) => input.screenshots),
      size,
    );
    const rows = Array.from({ length: size }, (_, i) => {
      const input = requests[i]?.input;
      return input && { tokens: input.tokens, action: [], clock: input.clock };
    });
    const prefill = await this.graphs.get(`prefill ${size} ${context}`, () => prefillGraph(model, size, context));
    const first = await prefill.run({ features, ...layout(vocabulary, rows, context, 1) }, parameters);
    /** Draws the next token of the drafts that the rows of `logits` belong to; tells which rows still want one. */
    const advance = (logits: Float32Array, places: readonly number[]): number[] =>
      places.flatMap((place, row) => {
        const draft = drafts[place];
        const tokenClass = draft && following(vocabulary, draft.tokens);
        if (!draft || !tokenClass) return [];
        const own = logits.subarray(row * vocabulary.size, (row + 1) * vocabulary.size);
        const left = longestAction - draft.tokens.length;
        const drawn = draw(vocabulary, own, tokenClass, requests[place]?.temperature ?? 1, draft.random, left);
        draft.tokens.push(drawn.token);
        draft.logprobs.push(drawn.logprob);
        return following(vocabulary, draft.tokens) === undefined ? [] : [row];
      });
    /** For each row of the feeds, the draft that it belongs to. */
    let places = drafts.map((_, place) => place);
    let open = advance(first.logits as Float32Array, places);
    let width = size;
    let feeds = open.length > 0 ? this.caches(first, features, rows, context) : {};
    const length = context + longestAction;
    for (let t = 1; open.length > 0; t++) {
      // Typed text is longer than the rest: finished rows leave, so that they do not pay for it.
      const smaller = batchSizes.find((fitting) => fitting >= open.length) ?? width;
      if (smaller < width) {
        feeds = pickRows(feeds, width, open, smaller);
        places = open.map((row) => places[row] ?? 0);
        width = smaller;
      }
      const step = await this.graphs.get(`step ${width} ${length}`, () => stepGraph(model, width, length));
      const tokens = new Int32Array(width);
      const slots = new Int32Array(width);
      for (const [row, place] of places.entries()) {
        tokens[row] = drafts[place]?.tokens[t - 1] ?? vocabulary.pad;
        slots[row] = slotOf(vocabulary, drafts[place]?.tokens ?? [], t - 1);
      }
      const positions = new Int32Array(width).fill(longestContext + t);
      const roles = new Int32Array(width);
      const mask = new Float32Array(width);
      const result = await step.run({ ...feeds, tokens, slots, roles, positions, blocked: mask }, parameters);
      open = advance(result.logits as Float32Array, places);
      this.remember(feeds, result, width, length, context + t);
    }
    return drafts.map(({ tokens, logprobs }) => ({ tokens, logprobs }));
  }

  /** Feeds of the step graph after a prefill: keys and values of screenshots and text, with room for the tokens to come. */
  private caches(
    prefilled: Readonly<Record<string, Output>>,
    features: Float32Array,
    rows: readonly (Row | undefined)[],
    context: number,
  ): Record<string, Float32Array> {
    const { heads, width, decoderLayers } = this.model.architecture;
    const perHead = width / heads;
    const length = context + longestAction;
    const pastBlocked = new Float32Array(rows.length * length).fill(blocked);
    for (const [i, row] of rows.entries()) {
      const used = Math.min(row?.tokens.length ?? 0, context);
      pastBlocked.fill(0, i * length + context - used, i * length + context + 1);
    }
    const feeds: Record<string, Float32Array> = { features, pastBlocked };
    for (let l = 0; l <= decoderLayers; l++) {
      for (const part of ['key', 'value'] as const) {
        if (l < decoderLayers) feeds[`image.${l}.${part}`] = prefilled[`image.${l}.${part}`] as Float32Array;
        const past = new Float32Array(rows.length * heads * length * perHead);
        const own = prefilled[`own.${l}.${part}`] as Float32Array;
        spread(past, own, rows.length * heads, length * perHead, (context + 1) * perHead, 0);
        feeds[`past.${l}.${part}`] = past;
      }
    }
    return feeds;
  }

  /** Adds a token's keys and values to the past, at a place of it. */
  private remember(
    feeds: Readonly<Record<string, Float32Array>>,
    result: Readonly<Record<string, Output>>,
    rows: number,
    length: number,
    at: number,
  ): void {
    const { heads, width, decoderLayers } = this.model.architecture;
    const perHead = width / heads;
    for (let l = 0; l <= decoderLayers; l++) {
      for (const part of ['key', 'value'] as const) {
        const own = result[`own.${l}.${part}`] as Float32Array;
        spread(feeds[`past.${l}.${part}`] as Float32Array, own, rows * heads, length * perHead, perHead, at * perHead);
      }
    }
    for (let i = 0; i < rows; i++) (feeds.pastBlocked as Float32Array)[i * length + at] = 0;
  }
}

interface Draft {
  tokens: number[];
  logprobs: number[];
}

/** The class of the next token; undefined when the action is complete or as long as it may be. */
function following(vocabulary: Vocabulary, tokens: readonly number[]): TokenClass | undefined {
  return tokens.length >= longestAction ? undefined : vocabulary.next(tokens);
}

/** The chosen rows of arrays `[rows, ...]`, in arrays of `size` rows. */
function pickRows(
  feeds: Readonly<Record<string, Float32Array>>,
  rows: number,
  chosen: readonly number[],
  size: number,
): Record<string, Float32Array> {
  return Object.fromEntries(
    Object.entries(feeds).map(([name, from]) => {
      const stride = from.length / rows;
      const to = new Float32Array(size * stride);
      for (const [i, row] of chosen.entries()) to.set(from.subarray(row * stride, (row + 1) * stride), i * stride);
      return [name, to];
    }),
  );
}

/** Copies rows of `width` into rows of `stride` at `offset`. */
function spread(
  to: Float32Array,
  from: Float32Array,
  rows: number,
  stride: number,
  width: number,
  offset: number,
): void {
  for (let r = 0; r < rows; r++) to.set(from.subarray(r * width, (r + 1) * width), r * stride + offset);
}

/** One token of a class; its log-probability is under the softmax over that class at temperature 1. */
function draw(
  vocabulary: Vocabulary,
  logits: Float32Array,
  tokenClass: TokenClass,
  temperature: number,
  random: Random,
  left: number,
): { token: number; logprob: number } {
  const { first, last } = vocabulary.range(tokenClass);
  const candidates = tokenClass === 'character' ? [vocabulary.end] : [];
  for (let token = first; token <= last; token++) candidates.push(token);
  let max = -Infinity;
  for (const token of candidates) max = Math.max(max, logits[token] ?? -Infinity);
  let total = 0;
  for (const token of candidates) total += Math.exp((logits[token] ?? -Infinity) - max);
  const logprob = (token: number): number => (logits[token] ?? -Infinity) - max - Math.log(total);
  // A text that is as long as it may be is closed.
  if (tokenClass === 'character' && left === 1) return { token: vocabulary.end, logprob: logprob(vocabulary.end) };
  let chosen = candidates[0] ?? 0;
  if (temperature === 0) {
    for (const token of candidates) if ((logits[token] ?? -Infinity) > (logits[chosen] ?? -Infinity)) chosen = token;
  } else {
    let scaled = 0;
    for (const token of candidates) scaled += Math.exp(((logits[token] ?? -Infinity) - max) / temperature);
    let rest = random.next() * scaled;
    for (const token of candidates) {
      chosen = token;
      rest -= Math.exp(((logits[token] ?? -Infinity) - max) / temperature);
      if (rest < 0) break;
    }
  }
  return { token: chosen, logprob: logprob(chosen) };
}
