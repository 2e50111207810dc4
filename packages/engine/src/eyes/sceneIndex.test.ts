import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textSize, Vocabulary } from '../nano/vocabulary.js';
import { maxInstructionTokens } from './instruction.js';
import { size } from './scene.test.fixture.js';
import { SceneIndex } from './sceneIndex.js';
import { copyCount, firstScreenCopy } from './sceneTokens.js';
import { maxScreenTokens } from './screenTokens.js';
import { sceneGrid } from './screenGrid.js';

const grid = sceneGrid(size);
const lengths = fc.record({
  instruction: fc.constantFrom(16, 32, maxInstructionTokens),
  screen: fc.constantFrom(32, 64, maxScreenTokens),
  past: fc.constant(4),
});

it('numbers each token of a scene once, and spreads logits back to it', () => {
  fc.assert(
    fc.property(lengths, fc.nat(maxInstructionTokens), fc.nat(maxScreenTokens), (room, words, texts) => {
      const counts = { words: Math.min(words, room.instruction), texts: Math.min(texts, room.screen) };
      const copies = new Array<string | undefined>(copyCount).fill(undefined);
      const targets = Array.from({ length: counts.texts }, () => ({ x: 0.5, y: 0.5 }));
      const vocabulary = new Vocabulary(grid, { copies, targets });
      const index = new SceneIndex(grid.cells, room);
      const tokens = [
        ...Array.from({ length: textSize + grid.cells }, (_, token) => token),
        ...Array.from({ length: counts.words }, (_, i) => vocabulary.copy(i)),
        ...Array.from({ length: counts.texts }, (_, i) => vocabulary.copy(firstScreenCopy + i)),
        ...Array.from({ length: counts.texts }, (_, i) => vocabulary.target(i)),
      ];
      const numbers = tokens.map((token) => index.numberOf(vocabulary, token)!);
      expect(new Set(numbers).size).toBe(tokens.length);
      expect(Math.max(...numbers)).toBeLessThan(index.size);
      const logits = Float32Array.from({ length: index.size }, (_, i) => i);
      const spread = index.spread(vocabulary, logits);
      expect(spread).toHaveLength(vocabulary.size);
      expect(tokens.map((token) => spread[token])).toEqual(numbers);
    }),
    { numRuns: 60 },
  );
});

it('has no number for a token beyond the batch', () => {
  const vocabulary = new Vocabulary(grid, {
    copies: new Array<undefined>(copyCount).fill(undefined),
    targets: Array.from({ length: 40 }, () => ({ x: 0, y: 0 })),
  });
  const index = new SceneIndex(grid.cells, { instruction: 16, screen: 32, past: 4 });
  expect(index.numberOf(vocabulary, vocabulary.copy(16))).toBeUndefined();
  expect(index.numberOf(vocabulary, vocabulary.copy(firstScreenCopy + 32))).toBeUndefined();
  expect(index.numberOf(vocabulary, vocabulary.target(32))).toBeUndefined();
  expect(index.numberOf(vocabulary, vocabulary.target(31))).toBe(index.size - 1);
});
