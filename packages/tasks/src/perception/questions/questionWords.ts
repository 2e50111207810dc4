import { shapeNames } from '../../family/screen/element.js';
import { icons } from '../../family/screen/icons.js';
import { colourNames } from '../../family/screen/theme.js';
import { nouns } from '../words/phrase.js';

const templateWords =
  'a above and any are as at became between bottom changed chosen click closed describe disabled down empty ends enter ' +
  'fifth find first flag focused fourth go happened hero how icon in is last left leftmost list many no of off on opened ' +
  'point press read right rightmost row same screen second selected starts switched table tap text that the there thing ' +
  'third ticked to top type typed unchecked unchosen under unticked up was went what where with write written yes checked choose checkboxes switches dialog menu tooltip';

const plural = (noun: string): string => (/(ch|x)$/.test(noun) ? `${noun}es` : `${noun}s`);

/** Lower-case English words allowed outside double quotes, sorted. */
export const questionWords: readonly string[] = [
  ...new Set(
    [
      templateWords,
      ...colourNames,
      ...shapeNames,
      ...Object.values(icons).map(({ en }) => en),
      ...Object.values(nouns).flatMap(({ en }) => [en, plural(en)]),
    ].flatMap((text) => text.split(' ')),
  ),
].sort();
