import type { Box } from '../../family/box.js';
import type { Element } from '../../family/screen/element.js';
import type { Phrase } from '../words/phrase.js';

export interface Target {
  readonly phrase: Phrase;
  readonly boxes: readonly Box[];
  /** The described element, if that takes reasoning. */
  readonly thought?: Phrase;
}

export const target = (phrase: Phrase, elements: readonly Element[], thought?: Phrase): Target => ({
  phrase,
  boxes: elements.map(({ box }) => box),
  ...(thought && { thought }),
});
