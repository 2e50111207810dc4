import { type Feed, Random, type Tensor, ops } from '@gyre/engine';
import { type DetectorShape, type Screen, cellSize, cellsOf, detectorMetadata, detectorParameters } from '@gyre/reader';
import { cellTargets } from './cellTargets.js';
import { binaryCrossEntropy } from './losses.js';
import type { Lesson } from './networkTrainer.js';
import type { TextRow } from './textRow.js';

/** A screen with its lines of text. */
export interface LabelledScreen {
  readonly screen: Screen;
  readonly rows: readonly TextRow[];
}

export interface DetectorLessonOptions {
  readonly shape: DetectorShape;
  /** Pictures per step, and their side in px. */
  readonly batch: { readonly pictures: number; readonly side: number };
  readonly seed: number;
  /** Screens that the pictures of a step are cut from; deterministic in the step. */
  readonly screens: (step: number) => Promise<readonly LabelledScreen[]>;
}

/** Weight of the boxes relative to finding lines. */
const edgeWeight = 2;

export function detectorLesson({ shape, batch, seed, screens }: DetectorLessonOptions): Lesson {
  const { pictures, side } = batch;
  const cells = side / cellSize;
  return {
    parameters: detectorParameters(shape),
    metadata: detectorMetadata(shape),
    losses: (graph) => {
      const { abs, add, div, mul, reshape, sub, sum } = ops;
      const cellMap = cellsOf(graph, shape, graph.input('pictures', [pictures, side, side, 3], 'uint8'));
      const map = [pictures, cells, cells];
      const cores = graph.input('cores', map);
      const weights = graph.input('weights', map);
      const average = (loss: Tensor, by: Tensor): Tensor => div(sum(mul(loss, by)), add(sum(by), 1));
      const core = average(binaryCrossEntropy(cellMap.cores, cores), weights);
      const off = sum(abs(sub(cellMap.edges, graph.input('edges', [...map, 2]))), [3]);
      const edge = average(reshape(off, map), mul(cores, weights));
      return { loss: add(core, mul(edge, edgeWeight)), core, edge };
    },
    feeds: async (step): Promise<Record<string, Feed>> => {
      const random = new Random(seed).fork(`detector ${step}`);
      const drawn = await screens(step);
      const feeds = {
        pictures: new Uint8Array(pictures * side * side * 3),
        cores: new Float32Array(pictures * cells * cells),
        weights: new Float32Array(pictures * cells * cells),
        edges: new Float32Array(pictures * cells * cells * 2),
      };
      for (let i = 0; i < pictures; i++) {
        const { pixels, rows } = window(drawn[i % drawn.length]!, side, random);
        const targets = cellTargets(rows, { rows: cells, columns: cells });
        feeds.pictures.set(pixels, i * side * side * 3);
        feeds.cores.set(targets.cores, i * cells * cells);
        feeds.weights.set(targets.weights, i * cells * cells);
        feeds.edges.set(targets.edges, i * cells * cells * 2);
      }
      return feeds;
    },
  };
}

/** Cuts a square at a random place. */
function window(
  { screen, rows }: LabelledScreen,
  side: number,
  random: Random,
): { pixels: Uint8Array; rows: TextRow[] } {
  const { width, height } = screen.size;
  const x = random.int(Math.max(1, width - side + 1));
  const y = random.int(Math.max(1, height - side + 1));
  const pixels = new Uint8Array(side * side * 3);
  for (let row = 0; row < Math.min(side, height); row++) {
    const start = ((y + row) * width + x) * 3;
    pixels.set(screen.pixels.subarray(start, start + Math.min(side, width) * 3), row * side * 3);
  }
  return {
    pixels,
    rows: rows.map(({ left, right, top, bottom }) => ({
      left: left - x,
      right: right - x,
      top: top - y,
      bottom: bottom - y,
    })),
  };
}
