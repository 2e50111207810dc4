import type { Size } from '@gyre/protocol';
import type { Output } from '../runtime/executable.js';
import type { ParameterStore } from '../runtime/parameters.js';
import type { ResidentParameters } from '../runtime/residentParameters.js';
import { longestAction, longestContext } from './architecture.js';
import { batches, batchSizesFor } from './bucket.js';
import type { CompiledGraphs } from './compiled.js';
import { allowsCommands } from './context.js';
import { blocked } from './decoderNetwork.js';
import { drawNext, type TurnDraft } from './drawTurn.js';
import type { Encoder } from './encoder.js';
import type { NativeSampleRequest, Screenshot } from './nativeEngine.js';
import { prefillGraph, stepGraph } from './graphs.js';
import { gridOf } from './grid.js';
import { layout, slotOf } from './layout.js';
import type { Model } from './model.js';
import { type Vocabulary, vocabularyOf } from './vocabulary.js';

const batchSizes = [1, 2, 4, 8, 16, 32];

/** Initial capacity: few actions are longer. */
const shortRoom = 8;

export interface BatchShape {
  readonly screen: Size;
  readonly screenshots: number;
  readonly context: number;
}

export interface Draft extends TurnDraft {
  readonly request: NativeSampleRequest;
  readonly screenshots: readonly Screenshot[];
  done(error?: Error): void;
}

export interface Means {
  readonly model: Model;
  readonly parameters: ParameterStore | ResidentParameters;
  readonly graphs: CompiledGraphs;
  readonly encoder: Encoder;
}

type Feeds = Record<string, Float32Array>;

/**
 * Samples actions of one shape together, with cached keys and values. An action joins any free row and leaves when
 * complete (iteration-level scheduling, Orca, OSDI 2022).
 */
export class RunningBatch {
  readonly #means: Means;
  readonly #shape: BatchShape;

  readonly #vocabulary: Vocabulary;
  readonly #sizes: readonly number[];
  readonly #waiting: Draft[] = [];
  #rows: (Draft | undefined)[] = [];
  #feeds: Feeds = {};
  #room = shortRoom;

  constructor(means: Means, shape: BatchShape) {
    this.#means = means;
    this.#shape = shape;

    this.#vocabulary = vocabularyOf(shape.screen);
    this.#sizes = batchSizesFor(gridOf(shape.screen).cells * shape.screenshots, batchSizes);
  }

  get idle(): boolean {
    return this.#waiting.length === 0 && this.#open.length === 0;
  }

  add(draft: Draft): void {
    this.#waiting.push(draft);
  }

  /** Failures go to the drafts concerned. */
  async turn(): Promise<void> {
    const joining = this.#waiting.splice(0, (this.#sizes.at(-1) ?? 1) - this.#open.length);
    for (const { from, rows, size } of batches(joining.length, this.#sizes)) {
      const group = joining.slice(from, from + rows);
      await this.#orTold(group, () => this.#begin(group, size));
    }
    const open = this.#open.map(({ draft }) => draft);
    if (open.length > 0) await this.#orTold(open, () => this.#step());
  }

  get #open(): { row: number; draft: Draft }[] {
    return this.#rows.flatMap((draft, row) => (draft ? [{ row, draft }] : []));
  }

  async #orTold(drafts: readonly Draft[], work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#rows = this.#rows.map((draft) => (draft && drafts.includes(draft) ? undefined : draft));
      for (const draft of drafts) draft.done(error as Error);
    }
  }

  async #begin(drafts: readonly Draft[], size: number): Promise<void> {
    const { model, parameters, graphs, encoder } = this.#means;
    const { context } = this.#shape;
    const features = await encoder.stacked(
      drafts.map(({ screenshots }) => screenshots),
      size,
    );
    const rows = Array.from({ length: size }, (_, i) => {
      const input = drafts[i]?.request.input;
      return input && { tokens: input.tokens, action: [], clock: input.clock };
    });
    const outputs = await graphs.run(
      `prefill ${this.#name} ${size} ${context}`,
      () => prefillGraph(model, { ...this.#shape, n: size }),
      { features, ...layout(this.#vocabulary, rows, context, 1) },
      parameters,
    );
    const staying = drafts.flatMap((draft, from) =>
      this.#advance(draft, outputs.logits as Float32Array, from) ? [from] : [],
    );
    const needed = this.#open.length + staying.length;
    if (needed > this.#rows.length) this.#arrange(this.#fitting(needed), this.#room);
    for (const from of staying) this.#join(drafts[from]!, from, outputs, size);
  }

  #join(draft: Draft, from: number, outputs: Readonly<Record<string, Output>>, size: number): void {
    const { context } = this.#shape;
    const row = this.#rows.indexOf(undefined);
    this.#rows[row] = draft;
    const length = context + this.#room;
    const source = { from, size, length: context + 1 };
    for (const [name, to] of Object.entries(this.#feeds)) {
      if (name === 'pastBlocked') {
        const used = Math.min(draft.request.input.tokens.length, context);
        to.fill(blocked, row * length, (row + 1) * length);
        to.fill(0, row * length + context - used, row * length + context + 1);
      } else this.#copyRow(name, to, row, outputs[name.replace('past', 'own')] as Float32Array, source);
    }
  }

  async #step(): Promise<void> {
    const { model, parameters, graphs } = this.#means;
    const { context } = this.#shape;
    const longest = Math.max(...this.#open.map(({ draft }) => draft.tokens.length));
    const room = longest >= shortRoom ? longestAction : shortRoom;
    const width = this.#fitting(this.#open.length);
    if (width < this.#rows.length || room > this.#room) this.#arrange(width, room);
    const length = context + this.#room;
    const n = this.#rows.length;
    const tokens = new Int32Array(n).fill(this.#vocabulary.pad);
    const slots = new Int32Array(n);
    const positions = new Int32Array(n);
    for (const { row, draft } of this.#open) {
      const last = draft.tokens.length - 1;
      tokens[row] = draft.tokens[last] ?? this.#vocabulary.pad;
      slots[row] = slotOf(this.#vocabulary, draft.tokens, last);
      positions[row] = longestContext + draft.tokens.length;
    }
    const none = new Int32Array(n);
    const outputs = await graphs.run(
      `step ${this.#name} ${n} ${length}`,
      () => stepGraph(model, { ...this.#shape, n, length }),
      { ...this.#feeds, tokens, slots, positions, roles: none, ages: none, blocked: new Float32Array(n) },
      parameters,
    );
    for (const { row, draft } of this.#open) {
      this.#remember(row, context + draft.tokens.length, outputs);
      if (!this.#advance(draft, outputs.logits as Float32Array, row)) this.#rows[row] = undefined;
    }
  }

  #advance(draft: Draft, logits: Float32Array, row: number): boolean {
    const vocabulary = this.#vocabulary;
    const commands = allowsCommands(vocabulary, draft.request.input.tokens);
    const rowLogits = logits.subarray(row * vocabulary.size, (row + 1) * vocabulary.size);
    const wantsMore = drawNext(draft, vocabulary, commands, rowLogits);
    if (!wantsMore) draft.done();
    return wantsMore;
  }

  #remember(row: number, position: number, outputs: Readonly<Record<string, Output>>): void {
    const { heads, width, decoderLayers } = this.#means.model.architecture;
    const perHead = width / heads;
    const length = this.#shape.context + this.#room;
    for (let l = 0; l <= decoderLayers; l++) {
      for (const part of ['key', 'value'] as const) {
        const added = outputs[`own.${l}.${part}`] as Float32Array;
        const past = this.#feeds[`past.${l}.${part}`] as Float32Array;
        for (let head = row * heads; head < (row + 1) * heads; head++) {
          past.set(added.subarray(head * perHead, (head + 1) * perHead), (head * length + position) * perHead);
        }
      }
    }
    (this.#feeds.pastBlocked as Float32Array)[row * length + position] = 0;
  }

  #arrange(width: number, room: number): void {
    const old = { feeds: this.#feeds, size: this.#rows.length, length: this.#shape.context + this.#room };
    const open = this.#open;
    this.#room = room;
    this.#rows = Array.from({ length: width }, (_, row) => open[row]?.draft);
    this.#feeds = this.#empty(width);
    for (const [name, to] of Object.entries(this.#feeds)) {
      for (const [row, { row: from }] of open.entries()) {
        this.#copyRow(name, to, row, old.feeds[name] as Float32Array, { ...old, from });
      }
    }
  }

  #empty(width: number): Feeds {
    const { architecture } = this.#means.model;
    const { cells } = gridOf(this.#shape.screen);
    const length = this.#shape.context + this.#room;
    const feeds: Feeds = {
      pointer: new Float32Array(width * cells * architecture.width),
      pastBlocked: new Float32Array(width * length).fill(blocked),
    };
    for (let l = 0; l <= architecture.decoderLayers; l++) {
      for (const part of ['key', 'value'] as const) {
        feeds[`past.${l}.${part}`] = new Float32Array(width * length * architecture.width);
        if (l === architecture.decoderLayers) continue;
        const seen = this.#shape.screenshots * cells * architecture.width;
        feeds[`image.${l}.${part}`] = new Float32Array(width * seen);
      }
    }
    return feeds;
  }

  #copyRow(
    name: string,
    to: Float32Array,
    row: number,
    source: Float32Array,
    { from, size, length }: { from: number; size: number; length: number },
  ): void {
    const sourceRow = source.subarray((from * source.length) / size, ((from + 1) * source.length) / size);
    const start = (row * to.length) / this.#rows.length;
    if (!name.startsWith('past')) {
      to.set(sourceRow, start);
      return;
    }
    const room = this.#shape.context + this.#room;
    const blocks = name === 'pastBlocked' ? 1 : this.#means.model.architecture.heads;
    const each = sourceRow.length / blocks;
    const copied = (Math.min(length, room) * each) / length;
    for (let block = 0; block < blocks; block++) {
      to.set(sourceRow.subarray(block * each, block * each + copied), start + (block * room * each) / length);
    }
  }

  #fitting(rows: number): number {
    return this.#sizes.find((size) => size >= rows) ?? rows;
  }

  get #name(): string {
    const { screen, screenshots } = this.#shape;
    return `${screen.width}x${screen.height} ${screenshots}`;
  }
}
