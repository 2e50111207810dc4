import { GyreError } from '@gyre/protocol';
import { openReader, type Screen } from '@gyre/reader';
import sharp from 'sharp';
import { z } from 'zod';
import { command } from '../command.js';
import { checkPath } from '../flags/checkPath.js';
import { readerFlag } from '../flags/readerFlag.js';
import { table } from '../terminal/table.js';

export const read = command({
  description: 'Reads the text of a screenshot, and prints each line with its box in px. Nothing is downloaded.',
  examples: ['gyre read screenshot.png', 'gyre read screenshot.png --reader models/ppocr-v6 --json'],
  arguments: [
    {
      name: 'screenshot',
      description: 'a PNG, JPEG or WebP file',
      schema: z.string().min(1, { error: 'must not be empty' }),
      example: 'screenshot.png',
      check: (name: string, text: string) => checkPath(name, text, 'read a file'),
    },
  ] as const,
  flags: {
    reader: readerFlag,
  },
  async run({ reader: choice }, { terminal }, file) {
    const screen = await decode(file);
    const reader = await openReader({ reader: choice });
    try {
      const began = performance.now();
      const reading = await reader.read(screen);
      const ms = performance.now() - began;
      const rows = reading.lines.map(({ text, box: { x, y, width, height } }) => [
        text,
        [x, y, width, height].map((value) => value.toFixed(0)).join(' '),
      ]);
      for (const line of table(['text', 'x y width height'], rows)) terminal.print(line);
      return { ok: true, result: { ...reading, size: screen.size, ms } };
    } finally {
      await reader.close();
    }
  },
});

async function decode(file: string): Promise<Screen> {
  const { data, info } = await sharp(file)
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch((cause: unknown) => {
      throw new GyreError('bad_input', `${file} is no picture`, {
        field: 'screenshot',
        fix: 'use a PNG, JPEG or WebP file',
        cause,
      });
    });
  return { pixels: data, size: { width: info.width, height: info.height } };
}
