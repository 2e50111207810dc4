import { createHash } from 'node:crypto';
import { type Episode, GyreError } from '@gyre/protocol';
import sharp from 'sharp';
import type { PoolSample } from './poolSample.js';

/** Maximum Hamming distance of equal screens. */
const nearBits = 3;

/** Rounds points, so that clicks on one button are equal. */
const places = 40;

export function textHash({ task, turns }: Pick<Episode, 'task' | 'turns'>, chosen: readonly number[]): string {
  const actions = chosen.map((index) => turns[index]?.actions ?? []);
  const rounded = JSON.stringify([task.family, task.instruction, actions], (key, value: unknown) =>
    typeof value === 'number' && (key === 'x' || key === 'y') ? Math.round(value * places) : value,
  );
  return createHash('sha256').update(rounded).digest('hex').slice(0, 16);
}

/** Returns the difference hash (dHash, Krawetz 2013) of 9 x 8 grey px, row by row. */
export async function differenceHash(png: Uint8Array): Promise<string> {
  const grey = await sharp(png)
    .greyscale()
    .resize(9, 8, { fit: 'fill' })
    .raw()
    .toBuffer()
    .catch((cause: unknown) => {
      throw new GyreError('corrupt', 'a screenshot cannot be decoded', { field: 'screenshot', cause });
    });
  let bits = 0n;
  for (let row = 0; row < 8; row++) {
    for (let column = 0; column < 8; column++) {
      const offset = 9 * row + column;
      bits = (bits << 1n) | (grey[offset]! < grey[offset + 1]! ? 1n : 0n);
    }
  }
  return bits.toString(16).padStart(16, '0');
}

export function hammingDistance(a: string, b: string): number {
  let different = BigInt(`0x${a}`) ^ BigInt(`0x${b}`);
  let count = 0;
  for (; different > 0n; different &= different - 1n) count++;
  return count;
}

export class NearDuplicates {
  readonly #byText = new Map<string, { screen: string; episode: string }[]>();

  add({ look, episode }: Pick<PoolSample, 'look' | 'episode'>): void {
    const alike = this.#byText.get(look.text) ?? [];
    alike.push({ screen: look.screen, episode });
    this.#byText.set(look.text, alike);
  }

  find({ text, screen }: PoolSample['look']): string | undefined {
    return this.#byText.get(text)?.find((other) => hammingDistance(other.screen, screen) <= nearBits)?.episode;
  }
}
