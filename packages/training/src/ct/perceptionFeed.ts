import { createHash } from 'node:crypto';
import { type NativeDatum, Random } from '@gyre/engine';
import type { BrowserPool } from '@gyre/sandbox';
import { type QuestionKind, perceive } from '@gyre/tasks';
import { perceptionDatum } from './perceptionDatum.js';

const questionKinds = new Set<QuestionKind>(['label', 'colour', 'shape', 'type']);

const chunkSize = 64;
const ahead = 8;
/** Pages that repeat together; fewer would be memorised. */
const windowSize = 8 * chunkSize;

/** Each pass over a window has another order. */
export function pageOf(n: number, passes: number): number {
  const window = Math.floor(n / (windowSize * passes));
  const pass = Math.floor((n % (windowSize * passes)) / windowSize);
  return window * windowSize + (((n % windowSize) * (2 * pass + 1)) % windowSize);
}

/** Renders endless perception data, deterministic in seed and number. */
export class PerceptionFeed {
  readonly #pool: BrowserPool;
  readonly #seed: number;
  readonly #passes: number;

  readonly #chunks = new Map<number, Promise<NativeDatum[]>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    pool: BrowserPool,
    seed: number,
    /** Uses of each page: rendering costs more than a training step. */
    passes = 1,
  ) {
    this.#pool = pool;
    this.#seed = seed;
    this.#passes = passes;
  }

  async take(first: number, count: number): Promise<NativeDatum[]> {
    const out: NativeDatum[] = [];
    let needed = 0;
    for (let n = first; n < first + count; n++) {
      const page = pageOf(n, this.#passes);
      const chunk = Math.floor(page / chunkSize);
      needed = Math.max(needed, chunk);
      out.push((await this.#chunk(chunk))[page % chunkSize]!);
    }
    const oldest = Math.floor((windowSize / chunkSize) * Math.floor(first / (windowSize * this.#passes)));
    for (const index of this.#chunks.keys()) if (index < oldest) this.#chunks.delete(index);
    // Rendering single chunks leaves the engine its share of the processor.
    const newest = Math.max(...this.#chunks.keys());
    if (newest - needed < ahead) this.#chunk(newest + 1).catch(() => undefined);
    return out;
  }

  #chunk(index: number): Promise<NativeDatum[]> {
    const cached = this.#chunks.get(index);
    if (cached) return cached;
    const chunk = this.#last.then(() => this.#render(index));
    this.#last = chunk.catch(() => undefined);
    this.#chunks.set(index, chunk);
    return chunk;
  }

  async #render(index: number): Promise<NativeDatum[]> {
    const random = new Random(this.#seed).fork(`perception ${index}`);
    const out: NativeDatum[] = [];
    for await (const samples of perceive(this.#pool, { seed: random.int(2 ** 31), count: chunkSize, looks: 'tasks' })) {
      for (const sample of samples) {
        const hash = createHash('sha256').update(sample.pixels).digest('hex');
        const questions = sample.questions.filter(({ kind }) => questionKinds.has(kind));
        out.push(
          perceptionDatum({ ...sample, questions }, { selection: 'short', questions: 6, places: 64, hash, random }),
        );
      }
    }
    return out;
  }
}
