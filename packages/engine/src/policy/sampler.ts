import type { Size } from '@gyre/protocol';
import type { Output } from '../executable.js';
import type { ParameterStore } from '../parameters.js';
import { Random } from '../random.js';
import type { ResidentParameters } from '../residentParameters.js';
import { longestAction, longestContext, longestThought } from './architecture.js';
import { batches, contextBucket, grouped, sizesFor } from './bucket.js';
import type { CompiledGraphs } from './compiled.js';
import { blocked } from './decoderNetwork.js';
import { draw } from './draw.js';
import { type Encoder, lastOf } from './encoder.js';
import type { SampleRequest, Sampled, Screenshot } from './engine.js';
import { prefillGraph, stepGraph } from './graphs.js';
import { gridOf } from './grid.js';
import { type Row, layout, slotOf } from './layout.js';
import type { Model } from './model.js';
import type { TokenClass } from './grammar.js';
import { type Vocabulary, vocabularyOf } from './vocabulary.js';

const batchSizes = [1, 2, 4, 8, 16, 32];

/** Room for the tokens of an action beside the context: little for most, and all there is for the few that write. */
const shortRoom = 8;

/** Requests whose graphs have the same shape. */
interface Shape {
  readonly screen: Size;
  readonly screenshots: number;
  readonly context: number;
}

interface Asked {
  readonly index: number;
  readonly request: SampleRequest;
  readonly screenshots: readonly Screenshot[];
}

/** Samples whole actions under the action grammar, many requests at once, with keys and values kept between tokens. */
export class Sampler {
  constructor(
    private readonly model: Model,
    private readonly parameters: ParameterStore | ResidentParameters,
    private readonly graphs: CompiledGraphs,
    private readonly encoder: Encoder,
  ) {}

  async sample(requests: readonly SampleRequest[], policyVersion: number): Promise<Sampled[]> {
    const out = new Array<Sampled>(requests.length);
    const asked = requests.map((request, index): Asked => {
      const screenshots = lastOf(request.input.screenshots, this.model.architecture.screenshots);
      return { index, request, screenshots };
    });
    const shapes = grouped(asked, (one) => JSON.stringify(shapeOf(one)));
    for (const same of shapes.values()) {
      const shape = shapeOf(same[0] as Asked);
      const cells = gridOf(shape.screen).cells * shape.screenshots;
      for (const { from, rows, size } of batches(same.length, sizesFor(cells, batchSizes))) {
        const chosen = same.slice(from, from + rows);
        const sampled = await this.batch(chosen, size, shape);
        for (const [i, { index }] of chosen.entries()) out[index] = { ...(sampled[i] as Draft), policyVersion };
      }
    }
    return out;
  }

  private async batch(asked: readonly Asked[], size: number, shape: Shape): Promise<Draft[]> {
    const { model, parameters } = this;
    const { context } = shape;
    const vocabulary = vocabularyOf(shape.screen);
    const drafts = asked.map(({ request }) => ({
      tokens: [] as number[],
      logprobs: [] as number[],
      random: new Random(request.seed),
    }));
    const features = await this.encoder.stacked(
      asked.map(({ screenshots }) => screenshots),
      size,
    );
    const rows = Array.from({ length: size }, (_, i) => {
      const input = asked[i]?.request.input;
      return input && { tokens: input.tokens, action: [], clock: input.clock };
    });
    const name = `${shape.screen.width}x${shape.screen.height} ${shape.screenshots}`;
    const prefill = await this.graphs.get(`prefill ${name} ${size} ${context}`, () =>
      prefillGraph(model, { ...shape, n: size }),
    );
    const first = await prefill.run({ features, ...layout(vocabulary, rows, context, 1) }, parameters);
    /** Draws the next token of the drafts that the rows of `logits` belong to; tells which rows still want one. */
    const advance = (logits: Float32Array, places: readonly number[]): number[] =>
      places.flatMap((place, row) => {
        const draft = drafts[place];
        const request = asked[place]?.request;
        const tokenClass = draft && following(vocabulary, draft.tokens);
        if (!draft || !request || !tokenClass) return [];
        const own = logits.subarray(row * vocabulary.size, (row + 1) * vocabulary.size);
        // A text that is as long as it may be is closed.
        const room = isThinking(vocabulary, draft.tokens) ? longestThought : longestAction;
        const closing = draft.tokens.length >= room - 1 && vocabulary.allows(tokenClass, vocabulary.end);
        const drawn = draw(own, vocabulary.ranges(tokenClass), {
          temperature: request.temperature,
          topP: request.topP ?? 1,
          random: draft.random,
          ...(closing && { forced: vocabulary.end }),
        });
        draft.tokens.push(drawn.token);
        draft.logprobs.push(drawn.logprob);
        return following(vocabulary, draft.tokens) === undefined ? [] : [row];
      });
    /** For each row of the feeds, the draft that it belongs to. */
    let places = drafts.map((_, place) => place);
    let open = advance(first.logits as Float32Array, places);
    let width = size;
    let room = shortRoom;
    let feeds = open.length > 0 ? this.caches(first, rows, context, context + room) : {};
    for (let t = 1; open.length > 0; t++) {
      // Written text is longer than the rest: finished rows leave, so that they do not pay for it.
      const smaller = batchSizes.find((fitting) => fitting >= open.length) ?? width;
      if (smaller < width) {
        feeds = pickRows(feeds, width, open, smaller);
        places = open.map((row) => places[row] ?? 0);
        width = smaller;
      }
      if (t >= room) {
        feeds = this.widened(feeds, width, context + room, context + longestAction);
        room = longestAction;
      }
      const length = context + room;
      const step = await this.graphs.get(`step ${name} ${width} ${length}`, () =>
        stepGraph(model, { ...shape, n: width, length }),
      );
      const tokens = new Int32Array(width);
      const slots = new Int32Array(width);
      for (const [row, place] of places.entries()) {
        tokens[row] = drafts[place]?.tokens[t - 1] ?? vocabulary.pad;
        slots[row] = slotOf(vocabulary, drafts[place]?.tokens ?? [], t - 1);
      }
      const positions = new Int32Array(width).fill(longestContext + t);
      const none = new Int32Array(width);
      const mask = new Float32Array(width);
      const own = { tokens, slots, roles: none, ages: none, positions, blocked: mask };
      const result = await step.run({ ...feeds, ...own }, parameters);
      open = advance(result.logits as Float32Array, places);
      this.remember(feeds, result, width, length, context + t);
    }
    return drafts.map(({ tokens, logprobs }) => ({ tokens, logprobs }));
  }

  /** Feeds of the step graph after a prefill: keys and values of screenshots and text, with room for the tokens to come. */
  private caches(
    prefilled: Readonly<Record<string, Output>>,
    rows: readonly (Row | undefined)[],
    context: number,
    length: number,
  ): Record<string, Float32Array> {
    const { heads, width, decoderLayers } = this.model.architecture;
    const perHead = width / heads;
    const pastBlocked = new Float32Array(rows.length * length).fill(blocked);
    for (const [i, row] of rows.entries()) {
      const used = Math.min(row?.tokens.length ?? 0, context);
      pastBlocked.fill(0, i * length + context - used, i * length + context + 1);
    }
    const feeds: Record<string, Float32Array> = { pointer: prefilled.pointer as Float32Array, pastBlocked };
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

  /** The same past with more room behind it. */
  private widened(
    feeds: Readonly<Record<string, Float32Array>>,
    rows: number,
    from: number,
    to: number,
  ): Record<string, Float32Array> {
    const { heads, width } = this.model.architecture;
    const perHead = width / heads;
    return Object.fromEntries(
      Object.entries(feeds).map(([name, old]) => {
        if (!name.startsWith('past')) return [name, old];
        const blocks = name === 'pastBlocked' ? rows : rows * heads;
        const each = name === 'pastBlocked' ? 1 : perHead;
        const made = new Float32Array(blocks * to * each).fill(name === 'pastBlocked' ? blocked : 0);
        spread(made, old, blocks, to * each, from * each, 0);
        return [name, made];
      }),
    );
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

function shapeOf({ request, screenshots }: Asked): Shape {
  const screen = (screenshots[0] as Screenshot).size;
  return { screen, screenshots: screenshots.length, context: contextBucket(request.input.tokens.length) };
}

/** Whether a turn has begun with a thought that is not over. */
function isThinking(vocabulary: Vocabulary, tokens: readonly number[]): boolean {
  return tokens[0] === vocabulary.think && !tokens.includes(vocabulary.end);
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
