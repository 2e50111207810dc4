import type { PixelBox, Size } from '@gyre/protocol';
import { components } from './components.js';
import { cropOf } from './crop.js';
import type { LineCache } from './lineCache.js';
import { type LineDetector, LineReader, type LineRecogniser } from './lineReader.js';
import type { Screen } from './reader.js';

/** A bar is a word's character; its colour is the character's. Bars of a line are at most this many px apart. */
const bridged = 3;
/** Background around a line. */
export const margin = 2;
export const rowPitch = 20;
export const barHeight = 8;

export interface Bar {
  readonly row: number;
  readonly x: number;
  readonly width: number;
  /** 0..25, for A..Z. */
  readonly letter: number;
}

export function drawBars(size: Size, bars: readonly Bar[]): Screen {
  const pixels = new Uint8Array(size.width * size.height * 3).fill(255);
  for (const { row, x, width, letter } of bars) {
    for (let y = row * rowPitch + 6; y < Math.min(size.height, row * rowPitch + 6 + barHeight); y++) {
      pixels.fill(letter * 9, (y * size.width + x) * 3, (y * size.width + Math.min(x + width, size.width)) * 3);
    }
  }
  return { pixels, size };
}

/** Finds lines of bars by their ink alone. */
class InkDetector implements LineDetector {
  readonly views: PixelBox[] = [];

  async detect(screen: Screen, region: PixelBox): Promise<PixelBox[]> {
    this.views.push(region);
    const { pixels, size } = cropOf(screen, region).screen;
    const map = new Float32Array(size.width * size.height);
    for (let i = 0; i < map.length; i++) {
      if (pixels[i * 3] === 255) continue;
      const x = i % size.width;
      map.fill(1, i, i + 1 + Math.min(bridged, size.width - 1 - x));
    }
    return components(map, size, 0).map(({ left, top, right, bottom }) => {
      let end = right;
      // The bridge after the last bar is no ink.
      while (pixels[(top * size.width + end - 1) * 3] === 255) end--;
      return {
        x: region.x + left - margin,
        y: region.y + top - margin,
        width: end - left + 2 * margin,
        height: bottom - top + 2 * margin,
      };
    });
  }

  async close(): Promise<void> {}
}

/** Reads a letter per run of one colour. */
class InkRecogniser implements LineRecogniser {
  recognised = 0;

  async recognise(crops: readonly Screen[]) {
    this.recognised += crops.length;
    return crops.map(({ pixels, size }) => {
      const runs: { letter: number; start: number; end: number }[] = [];
      const middle = Math.floor(size.height / 2) * size.width;
      for (let x = 0; x < size.width; x++) {
        const value = pixels[(middle + x) * 3]!;
        const run = runs.at(-1);
        if (value === 255) continue;
        if (run?.letter === value / 9 && run.end === x) run.end++;
        else runs.push({ letter: value / 9, start: x, end: x + 1 });
      }
      return {
        text: runs.map(({ letter }) => String.fromCharCode(65 + letter)).join(''),
        centres: runs.map(({ start, end }) => (start + end) / 2),
      };
    });
  }

  async close(): Promise<void> {}
}

/** Opens a reader of bars. It looks at pixels only, so that what it reads does not depend on how much it is shown. */
export function openInkReader({ name = 'ink-1', cache }: { name?: string; cache?: LineCache } = {}) {
  const detector = new InkDetector();
  const recogniser = new InkRecogniser();
  return { reader: new LineReader({ name, detector, recogniser, cache }), detector, recogniser };
}
