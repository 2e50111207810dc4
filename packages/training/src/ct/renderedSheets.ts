import { Random } from '@gyre/engine';
import type { BrowserPool } from '@gyre/sandbox';
import { type PerceptionSample, sheetLayout } from '@gyre/tasks';
import type { PerceptionCache } from './perceptionCache.js';
import type { PageKind, SheetSource } from './pageFeed.js';

export class RenderedSheets implements SheetSource {
  readonly #pool: BrowserPool;
  readonly #cache: PerceptionCache;
  readonly #seed: number;

  constructor(pool: BrowserPool, cache: PerceptionCache, seed: number) {
    this.#pool = pool;
    this.#cache = cache;
    this.#seed = seed;
  }

  samples({ size }: PageKind): number {
    return sheetLayout(size).samples;
  }

  async sheet({ size, looks }: PageKind, index: number): Promise<readonly PerceptionSample[]> {
    const seed = new Random(this.#seed).fork(`${size.width}x${size.height}`).int(2 ** 31);
    for await (const samples of this.#cache.read(this.#pool, { seed, size, looks }, index, 1)) return samples;
    return [];
  }
}
