import { describe, expect, it } from 'vitest';
import { alphabet } from './alphabet.js';
import { glyphHeads, letterHeads } from './architecture.js';
import { type Letter, glyphLabels } from './glyphs.js';
import { gridOf } from './grid.js';

const grid = gridOf({ width: 32, height: 32 });
const classOf = (char: string): number => (char === '' ? 0 : alphabet.filter((one) => one !== ' ').indexOf(char) + 1);

function word(text: string, x: number, width: number): Letter[] {
  return [...text].map((char, index) => ({
    char,
    box: { x: x + index * width, y: 1, width, height: 13 },
    word: text,
    index,
  }));
}

function read(letters: readonly Letter[], cellIndex: number): { classes: number[]; weights: number[] } {
  const { cells, classes, weights } = glyphLabels(grid, letters);
  const place = cells.indexOf(cellIndex) * glyphHeads;
  return {
    classes: [...classes.slice(place, place + glyphHeads)],
    weights: [...weights.slice(place, place + glyphHeads)].map((weight) => Number(weight.toFixed(2))),
  };
}

describe('what is to be read', () => {
  it('is every letter of a word in small print, two in a cell, and how the word begins in each cell', () => {
    const letters = word('abcde', 0, 4);
    const begins = ['a', 'b', 'c', 'd', 'e', '', ''].map(classOf);
    expect(read(letters, 0).classes).toEqual([classOf('a'), classOf('b'), ...begins]);
    expect(read(letters, 1).classes).toEqual([classOf('c'), classOf('d'), ...begins]);
    expect(read(letters, 2).classes).toEqual([classOf('e'), 0, ...begins]);
    expect(read(letters, 0).weights).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 0.3]);
  });

  it('is the same letter twice where it is as wide as a cell', () => {
    const { classes } = read(word('ab', 8, 8), 1);
    expect(classes.slice(0, letterHeads)).toEqual([classOf('a'), classOf('a')]);
  });

  it('is the first of two words that meet in a cell', () => {
    const { classes } = read([...word('ab', 0, 5), ...word('cd', 12, 5)], 1);
    expect(classes.slice(0, letterHeads + 1)).toEqual([0, classOf('c'), classOf('c')]);
    const close = read([...word('ab', 0, 6), ...word('cd', 13, 6)], 1);
    expect(close.classes.slice(0, letterHeads + 1)).toEqual([classOf('b'), classOf('c'), classOf('a')]);
  });

  it('is nothing in cells without text, which count little, and of what has no class nothing is learnt', () => {
    const { classes, weights } = read(word('ab', 0, 8), 7);
    expect(classes).toEqual(new Array(glyphHeads).fill(0));
    expect(weights).toEqual(new Array(glyphHeads).fill(0.1));
    expect(read(word('aя', 0, 8), 1).weights.slice(0, letterHeads + 2)).toEqual([0, 0, 1, 0]);
  });
});
