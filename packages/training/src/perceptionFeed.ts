import { createHash } from 'node:crypto';
import { type Datum, Random, type Vocabulary } from '@gyre/engine';
import type { BrowserPool } from '@gyre/sandbox';
import { perceive } from '@gyre/tasks';
import { perceptionDatum } from './dataset.js';

const chunkSize = 64;
/** Chunks rendered ahead of the one in use. */
const ahead = 3;

/** Perception data without an end, rendered as it is used. Sample number n of a seed is always the same. */
export class PerceptionFeed {
  private readonly chunks = new Map<number, Promise<Datum[]>>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly pool: BrowserPool,
    private readonly vocabulary: Vocabulary,
    private readonly seed: number,
    /** How often each rendered page is given out, in other company each time: rendering costs more than a small model's step. */
    private readonly passes = 1,
  ) {}

  /** Samples `first` to `first + count`. Earlier chunks are dropped. */
  async take(first: number, count: number): Promise<Datum[]> {
    const out: Datum[] = [];
    const span = chunkSize * this.passes;
    const current = Math.floor(first / span);
    for (const index of this.chunks.keys()) if (index < current) this.chunks.delete(index);
    for (let n = first; n < first + count; n++) {
      const chunk = await this.chunk(Math.floor(n / span));
      const pass = Math.floor((n % span) / chunkSize);
      // A stride of 1 in the first pass, of 3, 5, ... in later ones: all odd, so each reaches every page.
      out.push(chunk[((n % chunkSize) * (2 * pass + 1)) % chunkSize] as Datum);
    }
    for (let index = current + 1; index <= current + ahead; index++) this.chunk(index).catch(() => undefined);
    return out;
  }

  private chunk(index: number): Promise<Datum[]> {
    const found = this.chunks.get(index);
    if (found) return found;
    const made = this.last.then(() => this.render(index));
    this.last = made.catch(() => undefined);
    this.chunks.set(index, made);
    return made;
  }

  private async render(index: number): Promise<Datum[]> {
    const random = new Random(this.seed).fork(`perception ${index}`);
    const out: Datum[] = [];
    for await (const samples of perceive(this.pool, { seed: random.int(2 ** 31), count: chunkSize })) {
      for (const sample of samples) {
        const hash = createHash('sha256').update(sample.pixels).digest('hex');
        out.push(perceptionDatum(sample, this.vocabulary, hash, random));
      }
    }
    return out;
  }
}
