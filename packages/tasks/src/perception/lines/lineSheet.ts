import type { Size, Split } from '@gyre/protocol';
import type { BrowserPool, BrowserSession } from '@gyre/sandbox';
import sharp from 'sharp';
import { pageFunction } from '../../family/pageScript.js';
import { Random } from '../../family/random.js';
import { drawLines } from './drawLines.js';
import type { MeasuredLine } from './measureLines.page.js';

/** Raised whenever a seed's sheets change; invalidates stored ones. */
export const lineSheetVersion = 2;

const page: Size = { width: 1280, height: 1440 };

/** A line in px of its sheet. */
export interface SheetLine {
  /** Empty for something else that a detector may take for a line. */
  readonly text: string;
  readonly top: number;
  readonly bottom: number;
  /** Left and right of each code point of `text`; of the whole if there is none. */
  readonly sides: readonly number[];
  /** Whether a border or another element hides a part of it. */
  readonly clipped?: boolean;
}

/** A page of single lines of text. */
export interface LineSheet {
  readonly png: Uint8Array;
  readonly lines: readonly SheetLine[];
}

/** Determines a sheet, given the installed fonts. */
export interface LineSheetTerms {
  readonly seed: number;
  readonly index: number;
  readonly split: Split;
  /** The characters that lines are made of. */
  readonly characters: readonly string[];
}

/** Renders a sheet. Throws `infra` if the browser fails. */
export async function lineSheet(pool: BrowserPool, terms: LineSheetTerms): Promise<LineSheet> {
  const session = await pool.lease({ size: page });
  try {
    return await renderLines(session, terms);
  } finally {
    await session.release();
  }
}

async function renderLines(
  session: BrowserSession,
  { seed, index, split, characters }: LineSheetTerms,
): Promise<LineSheet> {
  const { html, texts } = drawLines(new Random(`lines/${split}/${seed}/${index}`), split, characters);
  await session.browser.open({
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"></head><body>${html}</body></html>`,
    seed,
  });
  const measured = await session.browser.evaluate<MeasuredLine[]>(
    `(${pageFunction('perception/lines/measureLines')})()`,
  );
  const { png } = await session.screen.observe();
  const lines = measured.flatMap(([top = 0, bottom = 0, ...sides], place) =>
    sides.length > 0 && bottom <= page.height && top >= 0 ? [{ text: texts[place]!, top, bottom, sides }] : [],
  );
  return { png, lines };
}

/** Decodes a sheet to RGB. Throws sharp's error for a broken image. */
export async function decodeLineSheet(png: Uint8Array): Promise<{ readonly pixels: Uint8Array; readonly size: Size }> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { pixels: data, size: { width: info.width, height: info.height } };
}
