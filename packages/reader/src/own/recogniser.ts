import { type Executable, Graph, type Tensor, compile, frozen, ops } from '@gyre/engine';
import type { LineRecogniser, RecognisedLine } from '../lineReader.js';
import type { Screen } from '../reader.js';
import { characterSlots } from './decodeSlots.js';
import { type NormalisedLine, Strips, normaliseLine, slotWidth, stripGap, stripHeight } from './lineStrip.js';
import { characterLogits, slotsOf } from './recogniserNetwork.js';
import type { RecogniserWeights } from './recogniserWeights.js';

/** Static shapes have an executable each: few widths keep them few. */
const stripWidths = [128, 256, 512, 1024, 2048, 4096] as const;
const longest = 4096;
const placeCounts = [16, 64, 256] as const;

interface Placed {
  readonly index: number;
  readonly line: NormalisedLine;
  readonly x: number;
}

/** Recognises lines with gyre's own network. */
export class OwnRecogniser implements LineRecogniser {
  readonly #weights: RecogniserWeights;
  readonly #threads: number;
  readonly #executables = new Map<string, Promise<Executable>>();

  constructor(weights: RecogniserWeights, { threads = 1 }: { readonly threads?: number } = {}) {
    this.#weights = weights;
    this.#threads = threads;
  }

  async recognise(crops: readonly Screen[]): Promise<readonly RecognisedLine[]> {
    return this.recogniseLines(crops.map((crop) => normalised(crop)));
  }

  /** Recognises lines that were normalised before. */
  async recogniseLines(lines: readonly NormalisedLine[]): Promise<readonly RecognisedLine[]> {
    const results: RecognisedLine[] = lines.map(() => ({ text: '', centres: [] }));
    const waiting = lines.map((line, index) => ({ line, index })).sort((a, b) => b.line.width - a.line.width);
    while (waiting.length > 0) {
      const total = waiting.reduce((sum, { line }) => sum + line.width + stripGap, 0);
      const least = Math.max(waiting[0]!.line.width, Math.min(512, total));
      const strip = new Strips(1, stripWidths.find((width) => width >= least) ?? longest);
      const placed: Placed[] = [];
      for (const { line, index } of waiting.splice(0)) {
        const place = strip.place(line);
        if (place) placed.push({ line, index, x: place.x });
        else waiting.push({ line, index });
      }
      await this.#read(strip, placed, results);
    }
    return results;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#executables.values()].map(async (executable) => (await executable).release()));
    this.#executables.clear();
  }

  async #read(strip: Strips, placed: readonly Placed[], results: RecognisedLine[]): Promise<void> {
    const { shape, characters } = this.#weights;
    const network = await this.#executable(`strip ${strip.width}`, (graph) => {
      const { centres, features } = slotsOf(graph, shape, graph.input('ink', [1, stripHeight, strip.width], 'uint8'));
      return { centres, features };
    });
    const { centres, features } = await network.run({ ink: strip.pixels });
    const probabilities = new Float32Array(centres!.length);
    for (let i = 0; i < probabilities.length; i++) probabilities[i] = 1 / (1 + Math.exp(-centres![i]!));
    const slots = placed.map(({ line, x }) =>
      characterSlots(probabilities, x / slotWidth, Math.ceil((x + line.width) / slotWidth)),
    );
    const classes = await this.#classes(features as Float32Array, slots.flat());
    let next = 0;
    for (const [order, { line, index, x }] of placed.entries()) {
      const drawn = slots[order]!.map((slot) => ({
        char: characters[classes[next++]!]!,
        centre: Math.min(line.width, (slot + 0.5) * slotWidth - x) / line.scale,
      }));
      const visible = trimmed(drawn);
      results[index] = { text: visible.map(({ char }) => char).join(''), centres: visible.map(({ centre }) => centre) };
    }
  }

  async #classes(features: Float32Array, slots: readonly number[]): Promise<number[]> {
    const { shape, characters } = this.#weights;
    const classes: number[] = [];
    while (classes.length < slots.length) {
      const part = slots.slice(classes.length, classes.length + placeCounts.at(-1)!);
      const count = placeCounts.find((places) => places >= part.length)!;
      const head = await this.#executable(`places ${count}`, (graph) => {
        const rows = graph.input('rows', [count, shape.slot]);
        const places = graph.constant(
          Int32Array.from({ length: count }, (_, i) => i),
          [count],
        );
        return { best: ops.argMax(characterLogits(graph, rows, places, characters.length), 1) };
      });
      const rows = new Float32Array(count * shape.slot);
      for (const [i, slot] of part.entries())
        rows.set(features.subarray(slot * shape.slot, (slot + 1) * shape.slot), i * shape.slot);
      const { best } = await head.run({ rows });
      classes.push(...best!.subarray(0, part.length));
    }
    return classes;
  }

  #executable(name: string, build: (graph: Graph) => Record<string, Tensor>): Promise<Executable> {
    const known = this.#executables.get(name);
    if (known) return known;
    const executable = compile(
      frozen(build(new Graph()), this.#weights.parameters, () => 'f32'),
      { threads: this.#threads },
    );
    this.#executables.set(name, executable);
    return executable;
  }
}

/** Squeezes a line that is longer than the longest strip. */
function normalised(crop: Screen): NormalisedLine {
  const width = (crop.size.width / crop.size.height) * stripHeight;
  return normaliseLine(crop, { stretch: Math.min(1, (longest - 1) / width) });
}

function trimmed<T extends { readonly char: string }>(drawn: readonly T[]): readonly T[] {
  const first = drawn.findIndex(({ char }) => char !== ' ');
  const last = drawn.findLastIndex(({ char }) => char !== ' ');
  return first < 0 ? [] : drawn.slice(first, last + 1);
}
