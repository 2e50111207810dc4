import { setImmediate } from 'node:timers/promises';
import { Random } from '../random.js';
import { contextBucket } from './bucket.js';
import { lastOf } from './encoder.js';
import type { NativeSampleRequest, NativeSampled } from './nativeEngine.js';
import { type BatchShape, type Draft, type Means, RunningBatch } from './runningBatch.js';

export class Sampler {
  readonly #means: Means;

  readonly #batches = new Map<string, RunningBatch>();
  #serving = false;

  constructor(means: Means) {
    this.#means = means;
  }

  /** Weights must not change meanwhile. */
  async sample(requests: readonly NativeSampleRequest[], policyVersion: number): Promise<NativeSampled[]> {
    const drafts = requests.map((request) => this.#ask(request));
    if (!this.#serving) void this.#serve();
    return (await Promise.all(drafts)).map(({ request, tokens, logprobs, topLogprobs }) => ({
      ...{ tokens, logprobs, policyVersion },
      ...(request.topLogprobs && { topLogprobs }),
    }));
  }

  #ask(request: NativeSampleRequest): Promise<Draft> {
    return new Promise((resolve, reject) => {
      const screenshots = lastOf(request.input.screenshots, this.#means.model.architecture.screenshots);
      const shape: BatchShape = {
        screen: screenshots[0]!.size,
        screenshots: screenshots.length,
        context: contextBucket(request.input.tokens.length),
      };
      const name = JSON.stringify(shape);
      const batch = this.#batches.get(name) ?? new RunningBatch(this.#means, shape);
      this.#batches.set(name, batch);
      const draft: Draft = {
        request,
        screenshots,
        tokens: [],
        logprobs: [],
        topLogprobs: [],
        random: new Random(request.seed),
        done: (error) => {
          if (error === undefined) resolve(draft);
          else reject(error);
        },
      };
      batch.add(draft);
    });
  }

  async #serve(): Promise<void> {
    this.#serving = true;
    while (this.#batches.size > 0) {
      await setImmediate();
      for (const [name, batch] of this.#batches) {
        await batch.turn();
        if (batch.idle) this.#batches.delete(name);
      }
    }
    this.#serving = false;
  }
}
