import { type TextLine, Reading } from '@gyre/protocol';
import { BrowserPool } from '@gyre/sandbox';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReader } from '../openReader.js';
import type { Reader, Screen } from '../reader.js';
import { ReaderPool } from '../readerPool.js';
import { ReaderThread } from '../readerThread.js';
import { installedPaddleFolder } from './paddleModels.js';
import { openPaddleReader } from './paddleReader.js';

const size = { width: 400, height: 240 };
const page = (typed: string) => `
  <body style="margin:0;font:15px sans-serif;background:#fff">
    <h1 style="margin:12px;font-size:20px">Travel report</h1>
    <p style="margin:12px">Your order <span>No. 4071</span> was sent.</p>
    <button style="margin:12px;font-size:15px;background:#246;color:#fff;border:0;padding:8px">Cancel</button>
    <p style="margin:12px">${typed}</p>
  </body>`;

/** Middles of the letters of `<span>`, by the page. */
const middles = `(() => {
  const text = document.querySelector('span').firstChild;
  return [...text.data].map((_, index) => {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + 1);
    const { left, right } = range.getBoundingClientRect();
    return (left + right) / 2;
  });
})()`;

let folder: string;
let first: Screen;
let second: Screen;
let truth: number[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-reader-'));
  const pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
  const session = await pool.lease({ size });
  const shoot = async (html: string): Promise<Screen> => {
    await session.browser.open({ html, seed: 1 });
    const { png } = await session.observe();
    return { pixels: await sharp(png).removeAlpha().raw().toBuffer(), size };
  };
  first = await shoot(page('Nothing yet'));
  truth = await session.browser.evaluate<number[]>(middles);
  second = await shoot(page('Everything changes'));
  await session.release();
  await pool.close();
});
afterAll(() => rm(folder, { recursive: true }));

const texts = ({ lines }: { lines: readonly TextLine[] }) => lines.map(({ text }) => text);
const words = ['Travel report', 'Your order No. 4071 was sent.', 'Cancel', 'Nothing yet'];

async function using(reader: Reader, use: (reader: Reader) => Promise<void>): Promise<void> {
  try {
    await use(reader);
  } finally {
    await reader.close();
  }
}

describe('PP-OCRv4', () => {
  it('reads a page with the place of each letter', async () => {
    await using(await openPaddleReader(), async (reader) => {
      expect(reader.name).toBe('paddle-1:ch_PP-OCRv4_det_infer+ch_PP-OCRv4_rec_infer');
      const reading = Reading.parse(await reader.read(first));
      expect(texts(reading)).toEqual(words);
      for (const { text, box, centres } of reading.lines) {
        expect(centres).toHaveLength([...text].length);
        for (const centre of centres) expect(Math.abs(centre - box.x - box.width / 2)).toBeLessThan(box.width / 2);
      }
      const order = reading.lines[1]!;
      const centres = order.centres.slice(order.text.indexOf('No.'), order.text.indexOf(' was'));
      expect(centres).toHaveLength(truth.length);
      centres.forEach((centre, index) => expect(Math.abs(centre - truth[index]!), `letter ${index}`).toBeLessThan(5));
    });
  });

  it('reads what has changed', async () => {
    await using(await openReader({ reader: 'paddle' }), async (reader) => {
      const reading = await reader.read(first);
      const next = await reader.read(second, { screen: first, reading });
      expect(texts(next)).toEqual([...words.slice(0, 3), 'Everything changes']);
      expect(next.lines[0]).toBe(reading.lines[0]);
    });
  });
});

describe('a thread', () => {
  it('reads as its reader does, and leaves the pixels to the caller', async () => {
    const plain = await openPaddleReader();
    await using(await ReaderThread.open({ reader: installedPaddleFolder() }), async (thread) => {
      expect(thread.name).toBe(plain.name);
      const reading = await thread.read(first);
      expect(reading).toEqual(await plain.read(first));
      const next = await thread.read(second, { screen: first, reading });
      expect(next).toEqual(await plain.read(second, { screen: first, reading }));
      const broken = { ...first, pixels: first.pixels.subarray(3) };
      await expect(thread.read(broken)).rejects.toMatchObject({
        code: 'bad_input',
        detail: { field: 'screen.pixels' },
      });
      await thread.close();
      await expect(thread.read(first)).rejects.toMatchObject({ code: 'bug', detail: { fix: 'open a new reader' } });
    });
    await plain.close();
  });

  it('of a pool gets its share of the screens', async () => {
    await using(await ReaderPool.open(2, { reader: 'paddle' }), async (pool) => {
      const readings = await Promise.all([pool.read(first), pool.read(second), pool.read(first)]);
      expect(texts(readings[2])).toEqual(words);
      const next = await pool.read(second, { screen: first, reading: readings[0] });
      expect(next.reader).toBe(pool.name);
      expect(texts(next).at(-1)).toBe('Everything changes');
    });
    await expect(ReaderPool.open(0)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'size' } });
    await expect(ReaderPool.open(2, { reader: folder })).rejects.toMatchObject({ code: 'missing' });
  });
});

describe('models', () => {
  /** Copies the models into a folder without the files that are dropped, then writes others. */
  async function variant(name: string, drop: RegExp, written: Record<string, string> = {}): Promise<string> {
    const copy = join(folder, name);
    await cp(installedPaddleFolder()!, copy, { recursive: true, filter: (file) => !drop.test(file) });
    for (const [file, text] of Object.entries(written)) await writeFile(join(copy, file), text);
    return copy;
  }

  it.each([
    ['no detector', 'missing', /_det_/, {}],
    ['no keys', 'missing', /keys/, {}],
    ['two recognisers', 'bad_input', /^$/, { 'PP-OCRv6_rec_small.onnx': '' }],
    ['keys of another recogniser', 'bad_input', /keys/, { 'keys.txt': 'a\nb\n' }],
    ['a detector that is no model', 'bad_input', /_det_/, { 'det.onnx': 'version https://git-lfs.github.com/spec/v1' }],
    ['a recogniser that is no model', 'bad_input', /_rec_/, { 'rec.onnx': '' }],
  ])('with %s are refused', async (name, code, drop, written) => {
    const opened = openPaddleReader({ folder: await variant(name, drop, written) });
    await expect(opened).rejects.toMatchObject({ code, detail: { field: 'folder', fix: expect.any(String) } });
  });

  it('are refused by name and by scale', async () => {
    await expect(openReader({ reader: 'tesseract' })).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'reader', fix: expect.stringContaining('use own, paddle, or a folder') },
    });
    await expect(openPaddleReader({ scale: 0 })).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'scale' },
    });
    await expect(openReader({ reader: folder })).rejects.toMatchObject({
      code: 'missing',
      detail: { field: 'folder' },
    });
  });
});
