import { textSize, type Vocabulary } from '../nano/vocabulary.js';
import { type SceneLengths } from './sceneFeeds.js';
import { copyCount, firstScreenCopy } from './sceneTokens.js';

/**
 * Numbers a decision's tokens within a padded batch: text tokens, cells, copies of instruction and screen, targets.
 * Vocabularies leave room for the most tokens that a scene may have; batches do not.
 */
export class SceneIndex {
  readonly size: number;
  readonly #cells: number;
  readonly #lengths: SceneLengths;

  constructor(cells: number, lengths: SceneLengths) {
    this.#cells = cells;
    this.#lengths = lengths;
    this.size = textSize + cells + lengths.instruction + 2 * lengths.screen;
  }

  /** Returns the number within the batch; undefined for a token of more than the batch has room for. */
  of(vocabulary: Vocabulary, token: number): number | undefined {
    const { instruction, screen } = this.#lengths;
    const first = textSize + this.#cells;
    if (token < first) return token;
    const copy = token - vocabulary.copy(0);
    if (copy < firstScreenCopy) return copy < instruction ? first + copy : undefined;
    if (copy < copyCount) {
      const text = copy - firstScreenCopy;
      return text < screen ? first + instruction + text : undefined;
    }
    const target = token - vocabulary.target(0);
    return target < screen ? first + instruction + screen + target : undefined;
  }

  /** Spreads a row of logits to the vocabulary's numbers. */
  spread(vocabulary: Vocabulary, logits: Float32Array): Float32Array {
    const { instruction, screen } = this.#lengths;
    const first = textSize + this.#cells;
    const out = new Float32Array(vocabulary.size).fill(-Infinity);
    out.set(logits.subarray(0, first + instruction));
    const texts = first + instruction;
    const copies = Math.min(screen, copyCount - firstScreenCopy);
    out.set(logits.subarray(texts, texts + copies), vocabulary.copy(firstScreenCopy));
    const targets = vocabulary.size - vocabulary.target(0);
    out.set(logits.subarray(texts + screen, texts + screen + Math.min(screen, targets)), vocabulary.target(0));
    return out;
  }
}
