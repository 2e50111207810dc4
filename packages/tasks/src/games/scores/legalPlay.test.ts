import { describe, expect, it } from 'vitest';
import { gameFamilies } from '../families.js';
import { playLegally } from './legalPlay.js';

const created = (family: string, seed: number) =>
  gameFamilies[family]!.create('test', seed, gameFamilies[family]!.smallest);
const played = (family: string, seed: number, playSeed = 'a', only?: readonly string[]) =>
  playLegally(created(family, seed), playSeed, only);

describe('legal play without looking', () => {
  const families = ['2048', 'mergeAndDouble', 'infinityLoop', 'tilesMaster', 'energy', 'laserMaze', 'gem11'];
  const byKeys = ['platformer', 'snakeSolver', 'sokoban', 'cubinko', 'tetris'];
  it.each([...families, 'shapes', 'freeTheKey', 'yarnUntangle', 'hexFrvr', 'woodBlocks3d', ...byKeys])(
    'of %s ends within the step budget, and is the same again',
    (family) => {
      for (let seed = 0; seed < 5; seed++) {
        const { task } = created(family, seed);
        const play = played(family, seed);
        expect(play.moves).toBeGreaterThan(0);
        expect(play.moves).toBeLessThanOrEqual(task.stepBudget);
        expect(play.over || play.moves === task.stepBudget).toBe(true);
        if (seed === 0) expect(played(family, seed)).toEqual(play);
      }
    },
  );

  it('always clears six tiles, which no tray of seven can hold up, and takes a turn for each', () => {
    for (let seed = 0; seed < 50; seed += 5) {
      expect(played('tilesMaster', seed, `${seed}`)).toMatchObject({ won: true, progress: 1, moves: 6 });
    }
  });

  it('passes time with every key of a game that does not wait', () => {
    // Always running falls into the first pit three times.
    const ran = Array.from({ length: 5 }, (_, seed) => played('platformer', seed, 'a', ['ArrowRight']));
    const jumped = Array.from({ length: 5 }, (_, seed) => played('platformer', seed, 'a', ['ArrowUp']));
    expect(ran.every(({ won }) => won)).toBe(false);
    const progress = (of: typeof ran) => of.reduce((sum, one) => sum + one.progress, 0);
    expect(progress(jumped)).toBeGreaterThan(progress(ran));
  });

  it('is refused where keys are not those of the game', () => {
    expect(() => played('2048', 0, 'a', ['ArrowUp', 'Enter'])).toThrow(/2048 does not use the key "Enter"/);
    expect(() => played('2048', 0, 'a', [])).toThrow(/no key is given for 2048/);
    expect(() => played('laserMaze', 0, 'a', ['ArrowUp'])).toThrow(/laserMaze does not use the key "ArrowUp"/);
  });

  it('refuses a family without listed moves', () => {
    expect(() => played('candyCrush', 0)).toThrow(/does not support candyCrush/);
  });
});
