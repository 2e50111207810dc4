import { expect, test } from 'vitest';
import { overlaps, screenSide } from '../box.js';
import { drawClickScreen } from '../../basics/click.js';
import { textWidth } from './face.js';
import { drawFormScreen } from '../../basics/form.js';
import { Random } from '../random.js';
import { words } from './words.js';

test.each([
  ['click', drawClickScreen],
  ['form', drawFormScreen],
])('controls of a %s screen are on the screen, apart from each other, and wide enough for their words', (_, draw) => {
  for (let seed = 0; seed < 500; seed++) {
    const random = new Random(`boxes/${seed}`);
    const { controls } = draw(random, 'train', () => random.pick(words.train)).screen;
    for (const [index, { box, label, face }] of controls.entries()) {
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.y).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(screenSide);
      expect(box.y + box.height).toBeLessThanOrEqual(screenSide);
      expect(textWidth(label, face)).toBeLessThanOrEqual(box.width);
      for (const other of controls.slice(index + 1)) expect(overlaps(box, other.box)).toBe(false);
    }
  }
});
