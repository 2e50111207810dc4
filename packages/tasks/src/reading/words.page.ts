import type { Word } from './word.js';
import { addFields } from './page/fields.js';
import { addGenerated } from './page/generated.js';
import { addTextNodes } from './page/textNodes.js';
import { Visibility } from './page/visibility.js';
import { WordCutter } from './page/wordCutter.js';

const world = globalThis as { gyreWords?: () => Word[] };

/** Measures the visible words of the page: text, values of fields and text of style sheets. A canvas has none. */
function measure(): Word[] {
  const visibility = new Visibility();
  const cutter = new WordCutter(visibility);
  addTextNodes(visibility, cutter);
  addFields(visibility, cutter);
  addGenerated(visibility, cutter);
  return cutter.words;
}

/** Measures the words, and leaves a function for the next time, with its caches. */
export default function installWords(): Word[] {
  world.gyreWords = measure;
  return measure();
}
