import { shapeNames } from './element.js';
import { colourNames } from './theme.js';

const templateWords =
  'and button choose click find flag go guide hero it labelled mark maze pick press reach select tap the then ' +
  'through tick to type walk way write your';

/** Every word that an instruction may have outside double quotes, sorted. */
export const instructionWords: readonly string[] = [
  ...new Set([...templateWords.split(' '), ...colourNames, ...shapeNames]),
].sort();
