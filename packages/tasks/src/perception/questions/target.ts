import type { Box } from '../../family/box.js';
import type { Element } from '../../family/screen/element.js';
import type { Phrase } from '../words/phrase.js';

/** A description of the element to click, before it becomes an instruction. */
export interface Target {
  readonly phrase: Phrase;
  readonly boxes: readonly Box[];
  /** The element it resolves to, if that takes reasoning. */
  readonly thought?: Phrase;
}

export const target = (phrase: Phrase, elements: readonly Element[], thought?: Phrase): Target => ({
  phrase,
  boxes: elements.map(({ box }) => box),
  ...(thought && { thought }),
});
