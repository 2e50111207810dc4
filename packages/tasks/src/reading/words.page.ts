import type { Word } from './word.js';
import { addFields } from './page/fields.js';
import { addGenerated } from './page/generated.js';
import { addTextNodes } from './page/textNodes.js';
import { Visibility } from './page/visibility.js';
import { WordCutter } from './page/wordCutter.js';

/** Measures the visible words of the page: text, values of fields and text of style sheets. A canvas has none. */
export default function measureWords(): Word[] {
  const visibility = new Visibility();
  const cutter = new WordCutter(visibility);
  addTextNodes(visibility, cutter);
  addFields(visibility, cutter);
  addGenerated(visibility, cutter);
  return cutter.words;
}
