import { describe, expect, it } from 'vitest';
import { gameFamilies } from './families.js';
import { playLegally } from './legalPlay.js';

const small = { width: 160, height: 160 };
const played = (family: string, seed: number, playSeed = 'a') =>
  playLegally(gameFamilies[family]!.create('test', seed, small), playSeed);

describe('legal play without looking', () => {
  const families = ['2048', 'mergeAndDouble', 'infinityLoop', 'tilesMaster', 'energy', 'laserMaze'];
  it.each([...families, 'shapes', 'freeTheKey', 'yarnUntangle'])(
    'of %s ends within the step budget, and is the same again',
    (family) => {
      for (let seed = 0; seed < 5; seed++) {
        const { task } = gameFamilies[family]!.create('test', seed, small);
        const play = played(family, seed);
        expect(play.moves).toBeGreaterThan(0);
        expect(play.moves).toBeLessThanOrEqual(task.stepBudget);
        expect(play.over || play.moves === task.stepBudget).toBe(true);
        expect(played(family, seed)).toEqual(play);
      }
    },
  );

  it('always clears six tiles, which no tray of seven can hold up, and takes a turn for each', () => {
    for (let seed = 0; seed < 50; seed += 5) {
      expect(played('tilesMaster', seed, `${seed}`)).toMatchObject({ won: true, progress: 1, moves: 6 });
    }
  });

  it('is refused where moves are not listed', () => {
    expect(() => played('gem11', 0)).toThrow(/moves of gem11 are not listed/);
  });
});
