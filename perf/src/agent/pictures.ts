import { createHash } from 'node:crypto';
import { Random } from '@gyre/engine';
import type { Size } from '@gyre/protocol';
import type { Frame } from '@gyre/sandbox';
import sharp from 'sharp';

/** Side in px of an incompressible part, for a typical file size. */
const noisy = 180;

export function pictures(count: number, size: Size, seed: number): Promise<Frame[]> {
  const random = new Random(seed).fork('pictures');
  return Promise.all(
    Array.from({ length: count }, async () => {
      const pixels = Buffer.alloc(size.width * size.height * 3, random.int(256));
      for (let y = 0; y < noisy; y++) {
        for (let x = 0; x < 3 * noisy; x++) pixels[3 * y * size.width + x] = random.int(256);
      }
      const png = await sharp(pixels, { raw: { ...size, channels: 3 } })
        .png()
        .toBuffer();
      return { png, hash: createHash('sha256').update(png).digest('hex'), size };
    }),
  );
}
