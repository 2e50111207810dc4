import { Random } from '@gyre/engine';
import type { Size } from '@gyre/protocol';
import type { BrowserPool } from '@gyre/sandbox';
import { type PerceptionSample, perceive, sheetLayout } from '@gyre/tasks';
import type { SheetSource } from './pageFeed.js';

/** Sheets that are rendered as they are asked for. */
export class RenderedSheets implements SheetSource {
  constructor(
    private readonly pool: BrowserPool,
    private readonly seed: number,
  ) {}

  samples(size: Size): number {
    return sheetLayout(size).samples;
  }

  async sheet(size: Size, index: number): Promise<readonly PerceptionSample[]> {
    const seed = new Random(this.seed).fork(`${size.width}x${size.height}`).int(2 ** 31);
    for await (const samples of perceive(this.pool, { seed, size, count: this.samples(size), first: index }))
      return samples;
    return [];
  }
}
