import type { ReadingNoise } from './noise.js';

/** Gyre's own reader on 20 pages of each kind of the dev split: `gyre eval reader --split dev --pages 20`. */
export const ownNoise: ReadingNoise = {
  lostLines: 0.01,
  widestGap: 0.67,
  misjudgedGaps: 0.2,
  lostSpaces: 0.05,
  addedSpaces: 0.0003,
  wrongCharacters: 0.03,
  swappedCases: 0.01,
  confusedCharacters: 0.02,
  boxHeight: 1.18,
  boxMargin: 0.22,
  boxJitter: 0.07,
};

/** PP-OCRv4 mobile on 20 pages of each kind of the dev split: `gyre eval reader --reader paddle --split dev --pages 20`. */
export const paddleV4Noise: ReadingNoise = {
  lostLines: 0.03,
  widestGap: 0.88,
  misjudgedGaps: 0.08,
  lostSpaces: 0.15,
  addedSpaces: 0.0002,
  wrongCharacters: 0.01,
  swappedCases: 0.01,
  confusedCharacters: 0.01,
  boxHeight: 1.54,
  boxMargin: 0.33,
  boxJitter: 0.13,
};
