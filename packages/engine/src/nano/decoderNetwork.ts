import type { Tensor } from '../tensor/graph.js';
import { add, concat, gather, matmul, mul, reshape, slice, softmax, split, transpose } from '../tensor/ops.js';
import { type Grid, placeFeatures, placeWidth } from './grid.js';
import type { Weights } from './weights.js';

/** Keys and values `[batch, heads, length, width / heads]`. */
export interface Memory {
  key: Tensor;
  value: Tensor;
}

/**
 * Masks scores in float32. Larger magnitudes make gradient products denormal, on which processors are many times
 * slower.
 */
export const blocked = -30;

/**
 * int32 `[batch, sequences, time]`; `blocked` is float32 `[batch, 1, sequences, 1, time]`, 0 or `blocked` for padding.
 */
export interface DecoderInput {
  tokens: Tensor;
  slots: Tensor;
  roles: Tensor;
  ages: Tensor;
  positions: Tensor;
  blocked: Tensor;
}

/** A causal decoder that attends to screenshots. The next token is text or a cell of the newest screenshot. */
export class DecoderNetwork {
  constructor(
    protected readonly weights: Weights,
    protected readonly grid: Grid,
  ) {}

  /** `images` are `[n, screenshots, cells, width]`, newest last. */
  imageMemory(images: Tensor): Memory[] {
    const { weights } = this;
    const { screenshots: maxScreenshots, width: d, decoderLayers } = weights.architecture;
    const [n = 0, screenshots = 0, cells = 0] = images.shape;
    const ages =
      maxScreenshots > 1 ? slice(weights.get('age'), 0, maxScreenshots - screenshots, maxScreenshots) : undefined;
    const aged = ages ? add(images, reshape(ages, [screenshots, 1, d])) : images;
    const features = reshape(aged, [n, screenshots * cells, d]);
    return Array.from({ length: decoderLayers }, (_, l) => ({
      key: transpose(weights.heads(weights.project(`decoder.${l + 1}.imageK`, features)), [0, 2, 1, 3]),
      value: transpose(weights.heads(weights.project(`decoder.${l + 1}.imageV`, features)), [0, 2, 1, 3]),
    }));
  }

  /**
   * Decodes causal tokens. After the first layer only the last `keep` (the decision) continue, attending to the
   * screenshots and the first layer's tokens. Returns these `[batch, sequences, keep, width]`, and each layer's keys
   * and values `[batch, heads, sequences, time, size]`. `past` is masked by `blocked` `[batch, 1, 1, 1, length]`.
   */
  decode(
    input: DecoderInput,
    images: readonly Memory[],
    keep: number,
    past?: { memory: readonly Memory[]; blocked: Tensor },
  ): { hidden: Tensor; memory: Memory[] } {
    const { weights } = this;
    const { decoderLayers } = weights.architecture;
    const [, , t = 0] = input.tokens.shape;
    const text = this.#embed(input);
    const causal = weights.graph.constant(
      Array.from({ length: t * t }, (_, i) => (i % t <= Math.floor(i / t) ? 0 : blocked)),
      [t, t],
    );
    const seen = add(causal, input.blocked);
    const before = (l: number): { memory: Memory; blocked: Tensor } | undefined => {
      const memory = past?.memory[l];
      return past && memory && { memory, blocked: past.blocked };
    };
    const first = this.#layer('decoder.0', text, { attended: text, mask: seen, past: before(0) });
    const memory = [first.keysAndValues];
    const context = keep < t ? slice(first.x, 2, 0, t - keep) : undefined;
    let decision = context ? slice(first.x, 2, t - keep, t) : first.x;
    const seenByDecision = context ? slice(seen, 3, t - keep, t) : seen;
    for (let l = 1; l <= decoderLayers; l++) {
      const attended = context ? concat([context, decision], 2) : decision;
      const { x, keysAndValues } = this.#layer(`decoder.${l}`, decision, {
        attended,
        mask: seenByDecision,
        image: images[l - 1],
        past: before(l),
      });
      memory.push(keysAndValues);
      decision = x;
    }
    return { hidden: weights.norm('decoder', decision), memory };
  }

  /** Returns `[n, cells, width]` of the newest screenshot. */
  pointerKeys(images: Tensor): Tensor {
    const [n = 0, screenshots = 0, cells = 0, d = 0] = images.shape;
    const newest = reshape(slice(images, 1, screenshots - 1, screenshots), [n, cells, d]);
    return this.weights.project('pointer.k', newest);
  }

  /** Returns `[batch, sequences, time, vocabulary]`. */
  logits(hidden: Tensor, pointerKeys: Tensor): Tensor {
    const { weights } = this;
    const d = weights.architecture.width;
    const [n = 0, s = 0, t = 0] = hidden.shape;
    const [, cells = 0] = pointerKeys.shape;
    const q = mul(reshape(weights.project('pointer.q', hidden), [n, s * t, d]), 1 / Math.sqrt(d));
    const pointer = matmul(q, pointerKeys, { transposeB: true });
    return concat([weights.project('logits', hidden), reshape(pointer, [n, s, t, cells])], 3);
  }

  /** Returns `[batch, sequences, time]`. */
  values(hidden: Tensor): Tensor {
    const [n = 0, s = 0, t = 0] = hidden.shape;
    return reshape(this.weights.project('value', hidden), [n, s, t]);
  }

  /** `x` is `[batch, sequences, rows, width]`. */
  #layer(
    name: string,
    x: Tensor,
    memory: { attended: Tensor; mask: Tensor; image?: Memory; past?: { memory: Memory; blocked: Tensor } },
  ): { x: Tensor; keysAndValues: Memory } {
    const { attended, mask, image, past } = memory;
    const { weights } = this;
    const { width: d, heads } = weights.architecture;
    const size = d / heads;
    const [n = 0, s = 0, rows = 0] = x.shape;
    const y = weights.norm(name, attended);
    const asking = attended === x ? y : slice(y, 2, (attended.shape[2] ?? 0) - rows, attended.shape[2] ?? 0);
    const headed = (part: string, from: Tensor): Tensor =>
      transpose(weights.heads(weights.project(`${name}.${part}`, from)), [0, 3, 1, 2, 4]);
    const q = mul(headed('q', asking), 1 / Math.sqrt(size));
    const keysAndValues: Memory = { key: headed('k', y), value: headed('v', y) };
    const sources: { scores: Tensor; mix: (weights: Tensor) => Tensor }[] = [
      {
        scores: add(matmul(q, keysAndValues.key, { transposeB: true }), mask),
        mix: (attention) => matmul(attention, keysAndValues.value),
      },
    ];
    if (image) {
      const cells = image.key.shape[2] ?? 0;
      const flat = reshape(q, [n, heads, s * rows, size]);
      sources.push({
        scores: reshape(matmul(flat, image.key, { transposeB: true }), [n, heads, s, rows, cells]),
        mix: (attention) =>
          reshape(matmul(reshape(attention, [n, heads, s * rows, cells]), image.value), [n, heads, s, rows, size]),
      });
    }
    if (past) {
      const { key, value } = past.memory;
      sources.push({
        scores: add(matmul(q, key, { transposeB: true }), past.blocked),
        mix: (attention) => matmul(attention, value),
      });
    }
    const attention = softmax(
      concat(
        sources.map(({ scores }) => scores),
        4,
      ),
    );
    const parts = split(
      attention,
      4,
      sources.map(({ scores }) => scores.shape[4] ?? 0),
    );
    const mixed = sources.map(({ mix }, i) => mix(parts[i] ?? attention)).reduce(add);
    const joined = reshape(transpose(mixed, [0, 2, 3, 1, 4]), [n, s, rows, d]);
    return { x: weights.feedForward(name, add(x, weights.project(`${name}.o`, joined))), keysAndValues };
  }

  #embed({ tokens, slots, roles, ages, positions }: DecoderInput): Tensor {
    const { weights, grid } = this;
    const features = weights.graph.constant(placeFeatures(grid), [grid.cells, placeWidth]);
    const table = concat([weights.get('token'), weights.project('pointer.place', features)], 0);
    const embedded = add(gather(table, tokens), weights.project('role', gather(weights.get('token'), roles)));
    const placed = add(gather(weights.get('slot'), slots), gather(weights.get('position'), positions));
    return add(add(embedded, placed), gather(weights.get('turn'), ages));
  }
}
