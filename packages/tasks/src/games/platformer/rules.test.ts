import { describe, expect, test } from 'vitest';
import { type KeyPlatformer, type StatePlatformer } from './motion.js';
import { type LevelPlatformer, platformer } from './rules.js';
import { tile } from './world.js';

const levelOf = (ground: readonly number[], more: Partial<LevelPlatformer> = {}): LevelPlatformer => ({
  ...{ difficulty: 1, ground, blocks: [], coins: [], slimes: [], rests: [], flag: ground.length - 2 },
  ...more,
});

/** Lets frames pass after a key. */
function go(level: LevelPlatformer, state: StatePlatformer, key: KeyPlatformer, frames: number): StatePlatformer {
  let after = platformer.move(state, key, level);
  for (let frame = 0; frame < frames; frame++) after = platformer.tick?.(after, level) ?? after;
  return after;
}

const column = ({ x }: StatePlatformer) => Math.floor(x / tile);

describe('the platformer', () => {
  const plain = levelOf(new Array<number>(20).fill(2));

  test('one press runs for 12 frames, and then the hero stands', () => {
    const start = platformer.start(plain);
    const once = go(plain, start, 'ArrowRight', 60);
    expect(once.x - start.x).toBe(12 * 48);
    expect(go(plain, go(plain, start, 'ArrowRight', 6), 'ArrowDown', 60).x - start.x).toBe(6 * 48);
  });

  test('a jump goes ahead, over a pit; without it a life is lost there', () => {
    const pit = levelOf([2, 2, 2, 0, 0, 2, 2, 2, 2, 2, 2]);
    const edge = go(pit, platformer.start(pit), 'ArrowRight', 3);
    const over = go(pit, edge, 'ArrowUp', 40);
    expect(over).toMatchObject({ lives: 3, inAir: false });
    expect(column(over)).toBeGreaterThan(4);
    const first = go(pit, edge, 'ArrowRight', 12);
    const lost = go(pit, first, 'ArrowRight', 90);
    expect(lost).toMatchObject({ lives: 2, x: 1.5 * tile, run: 0 });
  });

  test('a wall of two tiles stops who runs, not who jumps', () => {
    const wall = levelOf([1, 1, 1, 3, 3, 3, 3, 3]);
    const stopped = go(wall, go(wall, platformer.start(wall), 'ArrowRight', 12), 'ArrowRight', 12);
    expect(column(stopped)).toBe(2);
    expect(go(wall, stopped, 'ArrowUp', 40)).toMatchObject({ y: 3 * tile, lives: 3 });
  });

  test('a slime is beaten from above and costs a life from the side', () => {
    const slimes = [{ from: 4 * tile, to: 4 * tile + 2, at: 0, row: 2 }];
    const level = levelOf(new Array<number>(20).fill(2), { slimes });
    const start = platformer.start(level);
    expect(go(level, start, 'ArrowRight', 20).lives).toBe(2);
    const above = { ...start, x: 4 * tile, y: 4 * tile, inAir: true };
    expect(go(level, above, 'wait', 40)).toMatchObject({ lives: 3, beaten: [0] });
  });

  test('it is won at the flag, and lost with the last life', () => {
    const start = platformer.start(plain);
    expect(platformer.status({ ...start, farthest: 18.5 * tile }, plain)).toMatchObject({ won: true, progress: 1 });
    expect(platformer.status({ ...start, lives: 0 }, plain)).toMatchObject({ won: false, over: true });
  });
});
