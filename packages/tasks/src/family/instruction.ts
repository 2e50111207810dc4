import { shapeNames } from './screen/element.js';
import { colourNames } from './screen/theme.js';

const templateWords =
  'and box button choose click find flag get go guide hero it key labelled mark maze open pick press reach select tap the then ' +
  'through tick to type walk way write your';

/** Every word allowed in an instruction outside double quotes, sorted. */
export const instructionWords: readonly string[] = [
  ...new Set([...templateWords.split(' '), ...colourNames, ...shapeNames]),
].sort();
