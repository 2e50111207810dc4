import type { ReadingNoise } from './noise.js';

/** PP-OCRv4 mobile on held-out widgets, apps and perception pages, in the form that `gyre eval reader --json` prints. */
export const paddleV4Noise: ReadingNoise = {
  lostLines: 0.02,
  widestGap: 0.61,
  misjudgedGaps: 0.32,
  lostSpaces: 0.26,
  addedSpaces: 0,
  wrongCharacters: 0.04,
  swappedCases: 0.009,
  confusedCharacters: 0.012,
  boxHeight: 1.33,
  boxMargin: 0.21,
  boxJitter: 0.12,
};
