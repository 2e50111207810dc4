import type { Split } from '@gyre/protocol';
import { type Random, hash32 } from './random.js';
import { words } from './screen/words.js';

/** Returns the split that owns a layout, string or maze: about 70 % train, 10 % dev, 20 % test, by hash. */
export function splitOf(name: string): Split {
  const share = hash32(`split/${name}`) % 10;
  return share < 7 ? 'train' : share < 8 ? 'dev' : 'test';
}

/** Draws until the result's name belongs to the split. */
export function drawOwned<T>(split: Split, draw: () => T, nameOf: (drawn: T) => string): T {
  for (;;) {
    const drawn = draw();
    if (splitOf(nameOf(drawn)) === split) return drawn;
  }
}

/** Returns a page's seed, whose two lowest bits encode the split. */
export function pageSeed(family: string, split: Split, seed: number): number {
  const bits = { train: 0, dev: 1, test: 2 }[split];
  return ((hash32(`${family}/${split}/${seed}`) & ~3) | bits) >>> 0;
}

const known = new Set(Object.values(words).flat());

/** Draws strings until the split owns one that is no listed word. */
export function drawString(split: Split, draw: () => string): string {
  for (;;) {
    const text = draw();
    if (splitOf(`string/${text}`) === split && !known.has(text)) return text;
  }
}

/** Draws 3 to 6 letters, half of the time pronounceable. */
export function drawLetters(random: Random, split: Split): string {
  return drawString(split, () => {
    const length = random.between(3, 6);
    const pronounceable = random.chance(0.5);
    const vowelFirst = random.chance(0.3) ? 1 : 0;
    let text = '';
    for (let index = 0; index < length; index++) {
      const isVowel = (index + vowelFirst) % 2 === 1;
      text += random.pick([
        ...(!pronounceable ? 'abcdefghijklmnopqrstuvwxyz' : isVowel ? 'aeiou' : 'bcdfghjklmnpqrstvwxyz'),
      ]);
    }
    return text;
  });
}
