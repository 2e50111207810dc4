import { GyreError } from '@gyre/protocol';
import type { ParameterStore } from '../parameters.js';
import { batches } from './bucket.js';
import type { CompiledGraphs } from './compiled.js';
import type { Screenshot } from './engine.js';
import { encodeGraph } from './graphs.js';
import type { Model } from './model.js';

const batchSizes = [1, 2, 4, 8, 16];

/**
 * Encodes screenshots and keeps the features `[cells * width]` by the hash of the screenshot until the encoder's weights
 * change, so that an update with a frozen encoder does not pay for what sampling has computed.
 */
export class Encoder {
  private readonly kept = new Map<string, Float32Array>();

  constructor(
    private readonly model: Model,
    private readonly parameters: ParameterStore,
    private readonly graphs: CompiledGraphs,
    private readonly bound = 4096,
  ) {}

  /** Call when the encoder's weights have changed. */
  forget(): void {
    this.kept.clear();
  }

  async features(screenshots: readonly Screenshot[]): Promise<Float32Array[]> {
    const { width, height } = this.model.architecture.screen;
    const bytes = width * height * 3;
    const missing = new Map<string, Screenshot>();
    for (const shot of screenshots) {
      if (shot.pixels.length !== bytes) {
        throw new GyreError('bad_input', `a screenshot has ${shot.pixels.length} bytes, not ${width}x${height}x3`, {
          field: 'screenshots',
          fix: `run the session at ${width}x${height}`,
        });
      }
      if (!this.kept.has(shot.hash)) missing.set(shot.hash, shot);
    }
    const todo = [...missing.values()];
    const made = new Map<string, Float32Array>();
    for (const { from, rows, size } of batches(todo.length, batchSizes)) {
      const pixels = new Uint8Array(size * bytes);
      for (let i = 0; i < rows; i++) pixels.set((todo[from + i] as Screenshot).pixels, i * bytes);
      const graph = await this.graphs.get(`encode ${size}`, () => encodeGraph(this.model, size));
      const { features } = await graph.run({ pixels }, this.parameters);
      const length = this.model.cells * this.model.architecture.width;
      for (let i = 0; i < rows; i++) {
        made.set((todo[from + i] as Screenshot).hash, (features as Float32Array).slice(i * length, (i + 1) * length));
      }
    }
    const found = screenshots.map(({ hash }) => (this.kept.get(hash) ?? made.get(hash)) as Float32Array);
    for (const [hash, features] of made) this.kept.set(hash, features);
    for (const hash of this.kept.keys()) {
      if (this.kept.size <= this.bound) break;
      this.kept.delete(hash);
    }
    return found;
  }

  /** Features of the last screenshots of each row, `[rows padded to size, screenshots, cells, width]`, newest last. */
  async stacked(rows: readonly (readonly Screenshot[])[], size: number): Promise<Float32Array> {
    const { screenshots: n, width } = this.model.architecture;
    const length = this.model.cells * width;
    const out = new Float32Array(size * n * length);
    const features = await this.features(rows.flatMap((row) => fill(row, n)));
    for (const [index, one] of features.entries()) out.set(one, index * length);
    return out;
  }
}

/** The last `n` screenshots; where there are fewer, the oldest stands for the missing ones. */
export function fill(screenshots: readonly Screenshot[], n: number): Screenshot[] {
  const last = screenshots.slice(-n);
  const [oldest] = last;
  if (!oldest) throw new GyreError('bad_input', 'a decision needs at least one screenshot', { field: 'screenshots' });
  return [...Array.from({ length: n - last.length }, () => oldest), ...last];
}
