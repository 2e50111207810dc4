import { createHash } from 'node:crypto';
import { type NativeDatum, Random } from '@gyre/engine';
import type { BrowserPool } from '@gyre/sandbox';
import { type QuestionKind, perceive } from '@gyre/tasks';
import { perceptionDatum } from './perceptionDatum.js';

/** What the tasks of the flywheel ask for: in its few minutes nothing else is learnt. */
const asked = new Set<QuestionKind>(['label', 'colour', 'shape', 'type']);

const chunkSize = 64;
/** Chunks rendered ahead of the one in use. */
const ahead = 8;
/** Pages that are given out together, over and over, where there are several passes: fewer would be learnt by heart. */
const windowSize = 8 * chunkSize;

/** The page that sample `n` is, of a run in which each is given out `passes` times. In each pass over a window their order is another. */
export function pageOf(n: number, passes: number): number {
  const window = Math.floor(n / (windowSize * passes));
  const pass = Math.floor((n % (windowSize * passes)) / windowSize);
  // A stride of 1 in the first pass, of 3, 5, ... in later ones: all odd, so each reaches every page.
  return window * windowSize + (((n % windowSize) * (2 * pass + 1)) % windowSize);
}

/** Perception data without an end, rendered as it is used. Sample number n of a seed is always the same. */
export class PerceptionFeed {
  private readonly chunks = new Map<number, Promise<NativeDatum[]>>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly pool: BrowserPool,
    private readonly seed: number,
    /** How often each rendered page is given out, in other company each time: rendering costs more than a small model's step. */
    private readonly passes = 1,
  ) {}

  /** Samples `first` to `first + count`. Earlier chunks are dropped. */
  async take(first: number, count: number): Promise<NativeDatum[]> {
    const out: NativeDatum[] = [];
    let needed = 0;
    for (let n = first; n < first + count; n++) {
      const page = pageOf(n, this.passes);
      const chunk = Math.floor(page / chunkSize);
      needed = Math.max(needed, chunk);
      out.push((await this.chunk(chunk))[page % chunkSize]!);
    }
    const oldest = Math.floor((windowSize / chunkSize) * Math.floor(first / (windowSize * this.passes)));
    for (const index of this.chunks.keys()) if (index < oldest) this.chunks.delete(index);
    // One chunk at a time, so that rendering takes its turns beside the engine.
    const newest = Math.max(...this.chunks.keys());
    if (newest - needed < ahead) this.chunk(newest + 1).catch(() => undefined);
    return out;
  }

  private chunk(index: number): Promise<NativeDatum[]> {
    const found = this.chunks.get(index);
    if (found) return found;
    const made = this.last.then(() => this.render(index));
    this.last = made.catch(() => undefined);
    this.chunks.set(index, made);
    return made;
  }

  private async render(index: number): Promise<NativeDatum[]> {
    const random = new Random(this.seed).fork(`perception ${index}`);
    const out: NativeDatum[] = [];
    for await (const samples of perceive(this.pool, { seed: random.int(2 ** 31), count: chunkSize, looks: 'tasks' })) {
      for (const sample of samples) {
        const hash = createHash('sha256').update(sample.pixels).digest('hex');
        const questions = sample.questions.filter(({ kind }) => asked.has(kind));
        out.push(perceptionDatum({ ...sample, questions }, { asked: 'short', questions: 6, places: 64, hash, random }));
      }
    }
    return out;
  }
}
