import type { PixelBox, TextLine } from '@gyre/protocol';
import { Random } from '../random.js';
import type { Screenshot } from '../nano/nativeEngine.js';
import type { SceneArchitecture } from './architecture.js';
import type { PastScene, SceneContext } from './scene.js';

export const tiny: SceneArchitecture = {
  width: 32,
  heads: 2,
  layers: 2,
  decoderLayers: 1,
  cellLayers: 1,
  stem: 16,
  role: 'policy',
};

export const size = { width: 96, height: 64 };

/** A line whose characters are `pitch` px apart. */
export function lineOf(text: string, x: number, y: number, { pitch = 6, height = 12 } = {}): TextLine {
  const chars = [...text];
  return {
    text,
    box: { x, y, width: pitch * chars.length, height },
    centres: chars.map((_, i) => x + (i + 0.5) * pitch),
  };
}

/** Draws boxes of random colours on white. */
export function screenWith(
  hash: string,
  lines: readonly TextLine[],
  boxes: readonly PixelBox[] = lines.map(({ box }) => box),
): Screenshot {
  const random = new Random(7);
  const pixels = new Uint8Array(size.width * size.height * 3).fill(255);
  for (const { x, y, width, height } of boxes) {
    const colour = [random.int(200), random.int(200), random.int(200)];
    for (let row = Math.floor(y); row < Math.min(size.height, y + height); row++) {
      for (let column = Math.floor(x); column < Math.min(size.width, x + width); column++) {
        pixels.set(colour, 3 * (row * size.width + column));
      }
    }
  }
  return { hash, pixels, size, lines };
}

export const lines = [lineOf('Apple', 4, 4), lineOf('Pear', 50, 4), lineOf('Save', 30, 40)];
export const screen = screenWith('fruit', lines);

export const past: PastScene = {
  actions: [{ type: 'click', point: { x: 0.2, y: 0.15 } }],
  lines,
  size,
  unchanged: false,
};
export const context: SceneContext = { instruction: 'type "Pear" and press "Save"', past: [past] };
