import type { Box } from '../../family/box.js';
import type { Element } from '../../family/screen/element.js';
import type { Phrase } from '../words/phrase.js';

/** What to click, in words, before it is put into an instruction. */
export interface Target {
  readonly phrase: Phrase;
  readonly boxes: readonly Box[];
  /** What it turns out to be, where that has to be found out. */
  readonly thought?: Phrase;
}

export const target = (phrase: Phrase, elements: readonly Element[], thought?: Phrase): Target => ({
  phrase,
  boxes: elements.map(({ box }) => box),
  ...(thought && { thought }),
});
