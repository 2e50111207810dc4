import type { BrowserPool, Session } from '@gyre/sandbox';
import sharp from 'sharp';
import { type Box, screenSide } from './box.js';
import type { Element } from './element.js';
import { type PerceptionCell, drawCell } from './perceptionCell.js';
import { Random } from './random.js';
import { renderPage } from './screen.js';

/** A letter as it stands on the screen. */
export interface Glyph {
  /** a..z */
  readonly char: string;
  readonly box: Box;
  /** The word that it belongs to, and its place in it from 0. */
  readonly word: string;
  readonly index: number;
}

/** A screen with what is to be read and found on it. Boxes are in px of the sample. */
export interface PerceptionSample {
  /** RGB, [160, 160, 3]. */
  readonly pixels: Uint8Array;
  readonly glyphs: readonly Glyph[];
  readonly elements: readonly Element[];
  /** Something to type, of the train split. */
  readonly text: string;
}

/** Samples are rendered on pages of 8 x 8 cells. */
const cellsPerSide = 8;
const pageSide = cellsPerSide * screenSide;
const chunk = cellsPerSide * cellsPerSide;

/**
 * Renders labelled screens from the train split's widgets, words and layouts, half of the words being strings of random
 * letters. Yields them in chunks of up to 64; the same seed gives the same samples. Throws `infra` where the browser fails.
 */
export async function* perceive(
  pool: BrowserPool,
  options: { seed: number; count: number },
): AsyncGenerator<PerceptionSample[]> {
  const session = await pool.lease({ size: { width: pageSide, height: pageSide } });
  try {
    let cells = drawPage(options, 0);
    let decoding: Promise<PerceptionSample[]> | undefined;
    for (let page = 0; cells.length > 0; page++) {
      const capturing = capture(session, cells, options.seed);
      // While the browser renders this page, the next one is drawn up and the last one decoded.
      cells = drawPage(options, page + 1);
      const [shot, finished] = await Promise.all([capturing, decoding]);
      decoding = decode(shot);
      if (finished) yield finished;
    }
    if (decoding) yield await decoding;
  } finally {
    await session.release();
  }
}

function drawPage({ seed, count }: { seed: number; count: number }, page: number): PerceptionCell[] {
  const random = new Random(`perception/${seed}/${page}`);
  return Array.from({ length: Math.max(0, Math.min(chunk, count - page * chunk)) }, () => drawCell(random));
}

interface Shot {
  readonly cells: readonly PerceptionCell[];
  readonly png: Uint8Array;
  readonly words: readonly MeasuredWord[][];
}

/** A word and the left, top, width and height of each of its letters, one after the other. */
type MeasuredWord = readonly [word: string, rects: readonly number[]];

async function capture(session: Session, cells: readonly PerceptionCell[], seed: number): Promise<Shot> {
  const html = cells.map((cell, index) =>
    cell.render((index % cellsPerSide) * screenSide, Math.floor(index / cellsPerSide) * screenSide),
  );
  await session.open({ html: renderPage(html.join('')), seed });
  const words = await session.evaluate<MeasuredWord[][]>(`(${measureWords})()`);
  const { png } = await session.observe();
  return { cells, png, words };
}

/** Measures every letter of every screen. Runs in the page: it refers to nothing outside itself. */
function measureWords(): MeasuredWord[][] {
  const range = document.createRange();
  return [...document.querySelectorAll('.screen')].map((screen) => {
    const origin = screen.getBoundingClientRect();
    const words: MeasuredWord[] = [];
    const texts = document.createTreeWalker(screen, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      for (const match of (node.nodeValue ?? '').matchAll(/[a-z]+/g)) {
        const rects: number[] = [];
        for (let offset = match.index; offset < match.index + match[0].length; offset++) {
          range.setStart(node, offset);
          range.setEnd(node, offset + 1);
          const { left, top, width, height } = range.getBoundingClientRect();
          rects.push(left - origin.left, top - origin.top, width, height);
        }
        words.push([match[0], rects]);
      }
    }
    return words;
  });
}

async function decode({ cells, png, words }: Shot): Promise<PerceptionSample[]> {
  const { data } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return cells.map((cell, index) => ({
    pixels: cut(data, (index % cellsPerSide) * screenSide, Math.floor(index / cellsPerSide) * screenSide),
    glyphs: (words[index] ?? []).flatMap(glyphsOf),
    elements: cell.elements,
    text: cell.text,
  }));
}

function cut(page: Uint8Array, left: number, top: number): Uint8Array {
  const pixels = new Uint8Array(screenSide * screenSide * 3);
  for (let row = 0; row < screenSide; row++) {
    const from = ((top + row) * pageSide + left) * 3;
    pixels.set(page.subarray(from, from + screenSide * 3), row * screenSide * 3);
  }
  return pixels;
}

function glyphsOf([word, rects]: MeasuredWord): Glyph[] {
  return [...word].map((char, index) => {
    const [x = 0, y = 0, width = 0, height = 0] = rects.slice(index * 4, index * 4 + 4);
    return { char, word, index, box: { x, y, width, height } };
  });
}
