import type { ReadingNoise } from './noise.js';

/** PP-OCRv4 mobile, as `gyre eval reader --json` measured it. */
export const paddleV4Noise: ReadingNoise = {
  lostLines: 0.015,
  widestGap: 0.7,
  misjudgedGaps: 0.03,
  lostSpaces: 0.05,
  addedSpaces: 0.01,
  wrongCharacters: 0.012,
  swappedCases: 0.12,
  confusedCharacters: 0.1,
  boxHeight: 1.22,
  boxMargin: 0.17,
  boxJitter: 0.09,
};
