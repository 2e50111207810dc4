import { GyreError } from '@gyre/protocol';
import type { ParameterStore } from '../runtime/parameters.js';
import type { ResidentParameters } from '../runtime/residentParameters.js';
import { batches, grouped, batchSizesFor } from './bucket.js';
import type { CompiledGraphs } from './compiled.js';
import type { Screenshot } from './nativeEngine.js';
import { encodeGraph } from './graphs.js';
import { gridOf } from './grid.js';
import type { Model } from './model.js';

const batchSizes = [1, 2, 4, 8, 16];

/** Caches features `[cells * width]` by screenshot hash. */
export class Encoder {
  readonly #model: Model;
  readonly #parameters: ParameterStore | ResidentParameters;
  readonly #graphs: CompiledGraphs;
  readonly #bound: number;

  readonly #cache = new Map<string, Float32Array>();
  #values = 0;

  constructor(
    model: Model,
    parameters: ParameterStore | ResidentParameters,
    graphs: CompiledGraphs,
    /** 400 MB. */
    bound = 1e8,
  ) {
    this.#model = model;
    this.#parameters = parameters;
    this.#graphs = graphs;
    this.#bound = bound;
  }

  forget(): void {
    this.#cache.clear();
    this.#values = 0;
  }

  async features(screenshots: readonly Screenshot[]): Promise<Float32Array[]> {
    const missing = new Map<string, Screenshot>();
    for (const shot of screenshots) if (!this.#cache.has(shot.hash)) missing.set(shot.hash, shot);
    const encoded = new Map<string, Float32Array>();
    for (const todo of grouped(missing.values(), ({ size }) => `${size.width}x${size.height}`).values()) {
      await this.#encode(todo, encoded);
    }
    const results = screenshots.map(({ hash }) => (this.#cache.get(hash) ?? encoded.get(hash))!);
    for (const [hash, features] of encoded) {
      this.#cache.set(hash, features);
      this.#values += features.length;
    }
    for (const [hash, features] of this.#cache) {
      if (this.#values <= this.#bound) break;
      this.#cache.delete(hash);
      this.#values -= features.length;
    }
    return results;
  }

  /** Returns `[size, screenshots, cells, width]`. */
  async stacked(rows: readonly (readonly Screenshot[])[], size: number): Promise<Float32Array> {
    const features = await this.features(rows.flat());
    const length = features[0]?.length ?? 0;
    const out = new Float32Array(size * (rows[0]?.length ?? 0) * length);
    for (const [index, one] of features.entries()) out.set(one, index * length);
    return out;
  }

  async #encode(todo: readonly Screenshot[], encoded: Map<string, Float32Array>): Promise<void> {
    const [first] = todo;
    if (!first) return;
    const { size: screen } = first;
    const { cells } = gridOf(screen);
    const bytes = first.pixels.length;
    const length = cells * this.#model.architecture.width;
    for (const { from, rows, size } of batches(todo.length, batchSizesFor(cells, batchSizes))) {
      const pixels = new Uint8Array(size * bytes);
      for (let i = 0; i < rows; i++) pixels.set(todo[from + i]!.pixels, i * bytes);
      const name = `encode ${size} ${screen.width}x${screen.height}`;
      const build = () => encodeGraph(this.#model, size, screen);
      const { features } = await this.#graphs.run(name, build, { pixels }, this.#parameters);
      for (let i = 0; i < rows; i++) {
        encoded.set(todo[from + i]!.hash, (features as Float32Array).slice(i * length, (i + 1) * length));
      }
    }
  }
}

export function lastOf(screenshots: readonly Screenshot[], count: number): readonly Screenshot[] {
  const last = screenshots.slice(-count);
  const [oldest] = last;
  if (!oldest) throw new GyreError('bad_input', 'a decision needs at least one screenshot', { field: 'screenshots' });
  const { width, height } = oldest.size;
  if (last.some(({ size }) => size.width !== width || size.height !== height)) {
    throw new GyreError('bad_input', 'the screenshots of a decision differ in size', {
      field: 'screenshots',
      fix: 'pass only the screenshots since the screen was last resized',
    });
  }
  const wrong = last.find(({ pixels }) => pixels.length !== width * height * 3);
  if (wrong) {
    throw new GyreError('bad_input', `a screenshot has ${wrong.pixels.length} bytes, not ${width}x${height}x3`, {
      field: 'screenshots',
      fix: 'pass RGB bytes, three per pixel',
    });
  }
  return last;
}
