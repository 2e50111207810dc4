import { type Executable, Graph, compile, frozen } from '@gyre/engine';
import type { PixelBox } from '@gyre/protocol';
import type { LineDetector } from '../lineReader.js';
import type { Screen } from '../reader.js';
import { cellLines } from './cellLines.js';
import { cellSize, cellsOf } from './detectorNetwork.js';
import type { DetectorWeights } from './detectorWeights.js';

/** Each size has an executable. */
const maxExecutables = 12;

/** Detects lines with gyre's own network. */
export class OwnDetector implements LineDetector {
  readonly #weights: DetectorWeights;
  readonly #threads: number;
  readonly #executables = new Map<string, Promise<Executable>>();

  constructor(weights: DetectorWeights, { threads = 1 }: { readonly threads?: number } = {}) {
    this.#weights = weights;
    this.#threads = threads;
  }

  async detect(screen: Screen, region: PixelBox): Promise<readonly PixelBox[]> {
    const [width, height] = [roomFor(region.width), roomFor(region.height)];
    const executable = await this.#executable(width, height);
    const { cores, edges } = await executable.run({ pictures: covered(screen, region, { width, height }) });
    const boxes = cellLines({
      rows: height / cellSize,
      columns: width / cellSize,
      cores: cores as Float32Array,
      edges: edges as Float32Array,
    });
    return boxes.flatMap((box) => clipped(box, region));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#executables.values()].map(async (executable) => (await executable).release()));
    this.#executables.clear();
  }

  #executable(width: number, height: number): Promise<Executable> {
    const key = `${width}x${height}`;
    const executable = this.#executables.get(key) ?? this.#compiled(width, height);
    this.#executables.delete(key);
    this.#executables.set(key, executable);
    const [oldest] = this.#executables;
    if (oldest && this.#executables.size > maxExecutables) {
      this.#executables.delete(oldest[0]);
      // Released after its runs in progress.
      oldest[1].then((unused) => unused.release()).catch(() => undefined);
    }
    return executable;
  }

  #compiled(width: number, height: number): Promise<Executable> {
    const graph = new Graph();
    const { cores, edges } = cellsOf(
      graph,
      this.#weights.shape,
      graph.input('pictures', [1, height, width, 3], 'uint8'),
    );
    const constant = frozen({ cores, edges }, this.#weights.parameters, () => 'f32');
    return compile(constant, { threads: this.#threads });
  }
}

/** Returns one of few lengths: multiples of 32 px up to 320, then of 64. */
function roomFor(length: number): number {
  const unit = length <= 320 ? 32 : 64;
  return Math.ceil(length / unit) * unit;
}

/** Copies a region, repeating its right and bottom edge. */
function covered({ pixels, size }: Screen, region: PixelBox, room: { width: number; height: number }): Uint8Array {
  const copy = new Uint8Array(room.width * room.height * 3);
  for (let y = 0; y < room.height; y++) {
    const start = ((region.y + Math.min(y, region.height - 1)) * size.width + region.x) * 3;
    const row = pixels.subarray(start, start + region.width * 3);
    const target = y * room.width * 3;
    copy.set(row, target);
    for (let x = region.width; x < room.width; x++) copy.set(row.subarray(-3), target + x * 3);
  }
  return copy;
}

/** Moves a box from a region to its screen, within the region; none if nothing is left. */
function clipped(box: PixelBox, region: PixelBox): PixelBox[] {
  const x = Math.max(box.x, 0);
  const y = Math.max(box.y, 0);
  const width = Math.min(box.x + box.width, region.width) - x;
  const height = Math.min(box.y + box.height, region.height) - y;
  return width >= 2 && height >= 2 ? [{ x: region.x + x, y: region.y + y, width, height }] : [];
}
