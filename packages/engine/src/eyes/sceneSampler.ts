import { setImmediate } from 'node:timers/promises';
import { Random } from '../random.js';
import type { ParameterStore } from '../runtime/parameters.js';
import { batches, grouped } from '../nano/bucket.js';
import type { CompiledGraphs } from '../nano/compiled.js';
import { drawNext, type TurnDraft } from '../nano/drawTurn.js';
import type { NativeSampleRequest, NativeSampled } from '../nano/nativeEngine.js';
import type { DecodedTurn } from '../nano/vocabulary.js';
import { type BatchShape, decoderFeeds, encoderFeeds, type SceneRow, sceneRow, shapeOf } from './sceneBatch.js';
import { SceneIndex } from './sceneIndex.js';
import type { SceneModel } from './sceneModel.js';
import { sceneGrid } from './screenGrid.js';

const batchSizes = [1, 2, 4, 8, 16];

interface Draft extends TurnDraft {
  readonly request: NativeSampleRequest;
  readonly row: SceneRow;
  resolve(): void;
  reject(error: unknown): void;
}

type Feeds = Record<string, Float32Array>;

export interface SamplerParts {
  readonly model: SceneModel;
  readonly parameters: ParameterStore;
  readonly graphs: CompiledGraphs;
}

/** Samples turns. Requests that wait at the same time and have the same padded shape share a batch. */
export class SceneSampler {
  readonly #parts: SamplerParts;
  #waiting: Draft[] = [];
  #serving = false;

  constructor(parts: SamplerParts) {
    this.#parts = parts;
  }

  /** Weights must not change meanwhile. */
  async sample(requests: readonly NativeSampleRequest[], policyVersion: number): Promise<NativeSampled[]> {
    const drafts = requests.map((request) => this.#enqueue(request));
    if (!this.#serving) void this.#serve();
    return (await Promise.all(drafts)).map(({ request, row, tokens, logprobs, topLogprobs }) => ({
      ...{ tokens, logprobs, policyVersion, turn: decoded(row, tokens) },
      ...(request.topLogprobs && { topLogprobs }),
    }));
  }

  async #enqueue(request: NativeSampleRequest): Promise<Draft> {
    const row = sceneRow({ ...request.input });
    return new Promise((resolve, reject) => {
      const draft: Draft = {
        ...{ request, row, tokens: [], logprobs: [], topLogprobs: [], reject },
        random: new Random(request.seed),
        resolve: () => resolve(draft),
      };
      this.#waiting.push(draft);
    });
  }

  async #serve(): Promise<void> {
    this.#serving = true;
    for (;;) {
      await setImmediate();
      const drafts = this.#waiting;
      this.#waiting = [];
      if (drafts.length === 0) break;
      for (const same of grouped(drafts, ({ row }) => JSON.stringify(shapeOf(row))).values()) {
        for (const { from, rows, size } of batches(same.length, batchSizes)) {
          const group = same.slice(from, from + rows);
          try {
            await this.#play(group, size);
          } catch (error) {
            for (const draft of group) draft.reject(error);
          }
        }
      }
    }
    this.#serving = false;
  }

  async #play(drafts: readonly Draft[], n: number): Promise<void> {
    const { model, parameters, graphs } = this.#parts;
    const shape = shapeOf(drafts[0]!.row);
    const rows = Array.from({ length: n }, (_, i) => drafts[i]?.row);
    const { logits, ...scene } = (await graphs.run(
      `begin ${n} ${JSON.stringify(shape)}`,
      () => model.begin({ ...shape, n }),
      { ...encoderFeeds(rows, shape), ...decoderFeeds(rows, shape) },
      parameters,
    )) as Feeds;
    const blocked = encoderFeeds(rows, shape).blocked as Float32Array;
    let open = drafts.flatMap((draft, i) => (this.#advance(draft, shape, logits!, i) ? [i] : []));
    while (open.length > 0) {
      const sampled = rows.map((row, i) => row && { ...row, action: drafts[i]?.tokens ?? [] });
      const steps = Math.max(...open.map((i) => 1 + (drafts[i]?.tokens.length ?? 0)));
      const longer: BatchShape = { ...shape, steps: [2, 4, 8, 16, 32, 64, 128].find((size) => size >= steps) ?? steps };
      const { logits: next } = (await graphs.run(
        `proceed ${n} ${JSON.stringify(longer)}`,
        () => model.proceed({ ...longer, n }),
        { ...scene, blocked, ...decoderFeeds(sampled, longer) },
        parameters,
      )) as Feeds;
      open = open.filter((i) => {
        const draft = drafts[i]!;
        return this.#advance(draft, shape, next!, i * longer.steps + draft.tokens.length);
      });
    }
  }

  /** Draws a token from a row of logits. Returns whether the turn continues. */
  #advance(draft: Draft, { size, lengths }: BatchShape, logits: Float32Array, place: number): boolean {
    const { scene, commands } = draft.row;
    const index = new SceneIndex(sceneGrid(size).cells, lengths);
    const row = logits.subarray(place * index.size, (place + 1) * index.size);
    const wantsMore = drawNext(draft, scene.vocabulary, commands, index.spread(scene.vocabulary, row));
    if (!wantsMore) draft.resolve();
    return wantsMore;
  }
}

/** Returns undefined for a turn that was cut off. */
function decoded({ scene, commands }: SceneRow, tokens: readonly number[]): DecodedTurn | undefined {
  return scene.vocabulary.next(tokens, commands) === undefined ? scene.vocabulary.decode(tokens) : undefined;
}
