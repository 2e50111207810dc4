import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { pixels } from './pixels.js';

const size = { width: 3, height: 2 };
const hash = '0'.repeat(64);
const rgb = Uint8Array.from({ length: 18 }, (_, i) => 14 * i);

describe('pixels', () => {
  it('decodes a PNG to RGB, row by row, with or without an alpha channel', async () => {
    const opaque = sharp(rgb, { raw: { ...size, channels: 3 } });
    const png = await opaque.clone().png().toBuffer();
    const withAlpha = await opaque.clone().ensureAlpha().png().toBuffer();
    expect([...(await pixels({ png, hash, size }))]).toEqual([...rgb]);
    expect([...(await pixels({ png: withAlpha }))]).toEqual([...rgb]);
  });

  it('gives three channels for a grey PNG too', async () => {
    const png = await sharp(Uint8Array.of(0, 100, 255, 7, 8, 9), { raw: { ...size, channels: 1 } })
      .toColourspace('b-w')
      .png()
      .toBuffer();
    expect((await sharp(png).metadata()).channels).toBe(1);
    expect([...(await pixels({ png, hash, size }))].slice(0, 6)).toEqual([0, 0, 0, 100, 100, 100]);
  });

  it('decodes a frame once', async () => {
    const frame = {
      png: await sharp(rgb, { raw: { ...size, channels: 3 } })
        .png()
        .toBuffer(),
      hash,
      size,
    };
    expect(await pixels(frame)).toBe(await pixels(frame));
  });

  it('says which screenshot is damaged', async () => {
    await expect(pixels({ png: Uint8Array.of(1, 2, 3), hash, size })).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining(hash),
    });
  });

  it('refuses an image of another size than it claims', async () => {
    const png = await sharp(rgb, { raw: { ...size, channels: 3 } })
      .png()
      .toBuffer();
    await expect(pixels({ png, hash, size: { width: 2, height: 3 } })).rejects.toMatchObject({
      detail: { field: 'size' },
    });
  });
});
