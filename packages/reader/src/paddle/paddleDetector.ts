import type { PixelBox, Size } from '@gyre/protocol';
import { cropOf } from '../crop.js';
import type { LineDetector } from '../lineReader.js';
import { OnnxModel } from '../onnxModel.js';
import type { Screen } from '../reader.js';
import { components } from '../components.js';
import { linear, resize } from './resize.js';

const mean = [0.485, 0.456, 0.406] as const;
const deviation = [0.229, 0.224, 0.225] as const;

/** The network halves its input five times. */
const stride = 32;
const pixelThreshold = 0.4;
const boxThreshold = 0.5;
/** The network is trained on boxes shrunk towards their middles; DB, arXiv:1911.08947, section 3.5. */
const unclipRatio = 1.8;
const smallestArea = 8;
const smallestHeight = 3;

/** Finds lines by DB (arXiv:1911.08947) with axis-aligned boxes: screens show no rotated text. */
export class PaddleDetector implements LineDetector {
  readonly #model: OnnxModel;
  readonly #scaleOf: (screen: Size) => number;

  private constructor(model: OnnxModel, scaleOf: (screen: Size) => number) {
    this.#model = model;
    this.#scaleOf = scaleOf;
  }

  /** @param scaleOf factor by which a screen is enlarged before detection. */
  static async open(
    file: string,
    { threads, scaleOf }: { threads: number; scaleOf: (screen: Size) => number },
  ): Promise<PaddleDetector> {
    return new PaddleDetector(await OnnxModel.open(file, threads), scaleOf);
  }

  async detect(screen: Screen, region: PixelBox): Promise<PixelBox[]> {
    const scale = this.#scaleOf(screen.size);
    const { input, width, height } = networkInput(cropOf(screen, region).screen, scale);
    const { data } = await this.#model.run({ data: input, shape: [1, 3, height, width] });
    return components(data, { width, height }, pixelThreshold).flatMap((component) => {
      const { left, top, right, bottom, area, sum } = component;
      const [boxWidth, boxHeight] = [right - left, bottom - top];
      if (area < smallestArea || boxHeight < smallestHeight || sum / area < boxThreshold) return [];
      const margin = (boxWidth * boxHeight * unclipRatio) / (2 * (boxWidth + boxHeight));
      const x = Math.max(0, (left - margin) / scale);
      const y = Math.max(0, (top - margin) / scale);
      const endX = Math.min(region.width, (right + margin) / scale);
      const endY = Math.min(region.height, (bottom + margin) / scale);
      // A component in the padding alone is no line.
      if (endX <= x || endY <= y) return [];
      return [{ x: region.x + x, y: region.y + y, width: endX - x, height: endY - y }];
    });
  }

  close(): Promise<void> {
    return this.#model.release();
  }
}

/**
 * Scales, normalises and lays out as `[3, height, width]`. Repeats the last row and column up to the next multiple of the
 * stride: stretching a small region would change the size of its letters.
 */
function networkInput(screen: Screen, scale: number): { input: Float32Array; width: number; height: number } {
  const scaledWidth = Math.max(1, Math.round(screen.size.width * scale));
  const scaledHeight = Math.max(1, Math.round(screen.size.height * scale));
  const scaled = scale === 1 ? screen.pixels : resize(screen, scaledWidth, scaledHeight, linear);
  const width = Math.ceil(scaledWidth / stride) * stride;
  const height = Math.ceil(scaledHeight / stride) * stride;
  const input = new Float32Array(3 * width * height);
  for (let channel = 0; channel < 3; channel++) {
    const factor = 1 / (255 * deviation[channel]!);
    const offset = mean[channel]! / deviation[channel]!;
    for (let y = 0, out = channel * width * height; y < height; y++) {
      const row = Math.min(y, scaledHeight - 1) * scaledWidth;
      for (let x = 0; x < width; x++, out++) {
        input[out] = scaled[(row + Math.min(x, scaledWidth - 1)) * 3 + channel]! * factor - offset;
      }
    }
  }
  return { input, width, height };
}
