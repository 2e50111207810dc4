import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BareEnclosure } from '../isolation/bareEnclosure.js';
import { Desktop } from './desktop.js';
import { missingForDesktop } from './requirement.js';

const size = { width: 321, height: 243 };
const missing = missingForDesktop().map(({ debian }) => debian);

describe.skipIf(missing.length > 0)('the picture behind all windows', () => {
  let enclosure: BareEnclosure;
  let desktop: Desktop;
  beforeAll(async () => {
    enclosure = await BareEnclosure.create();
    desktop = await Desktop.start(enclosure, { size });
  });
  afterAll(async () => {
    await desktop.close();
    await enclosure.close();
  });

  async function corners(): Promise<number[][]> {
    const pixels = await desktop.pixels();
    const { width, height } = size;
    const last = width * height - 1;
    return [0, width - 1, last - width + 1, last].map((index) => [...pixels.subarray(index * 3, index * 3 + 3)]);
  }

  it('is a plain colour at first', async () => {
    const picture = sharp(await desktop.wallpaper());
    expect(await picture.metadata()).toMatchObject({ format: 'png', ...size });
    const [first] = await corners();
    expect([...(await picture.raw().toBuffer()).subarray(0, 3)]).toEqual(first);
  });

  it.each(['png', 'jpeg', 'webp'] as const)('covers the screen, from a %s', async (format) => {
    const half = { width: 40, height: 60, channels: 3 as const };
    const picture = await sharp({ create: { ...half, width: 80, background: '#0a0' } })
      .composite([{ input: { create: { ...half, background: '#00f' } }, left: 40, top: 0 }])
      .toFormat(format, { quality: 100 })
      .toBuffer();
    await desktop.setWallpaper(picture);
    const [topLeft, topRight, bottomLeft, bottomRight] = await corners();
    for (const [red, green, blue] of [topLeft!, bottomLeft!]) {
      expect(red! + blue!).toBeLessThan(20);
      expect(green).toBeGreaterThan(150);
    }
    for (const [red, green, blue] of [topRight!, bottomRight!]) {
      expect(red! + green!).toBeLessThan(20);
      expect(blue).toBeGreaterThan(235);
    }
    expect(Buffer.from(await desktop.wallpaper()).equals(picture)).toBe(true);
  });

  it('stays unchanged if the file is not a picture', async () => {
    const before = [await corners(), await desktop.wallpaper()];
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    for (const wrong of [Buffer.from(svg), Buffer.alloc(0), png.subarray(0, 20)]) {
      await expect(desktop.setWallpaper(wrong)).rejects.toMatchObject({
        code: 'bad_input',
        detail: { field: 'picture', fix: expect.stringContaining('PNG') as string },
      });
    }
    expect([await corners(), await desktop.wallpaper()]).toEqual(before);
  });
});
