import type { Size } from '@gyre/protocol';
import type { PerceptionSample } from '@gyre/tasks';
import { PageFeed, type SheetSource } from '../ct/pageFeed.js';
import type { LabelledScreen } from './detectorLesson.js';
import type { LinePage } from './linePage.js';
import { rowOfLine, rowsOfWords, wordsOf } from './textRow.js';

export interface LabelledScreensOptions {
  readonly sheets: SheetSource;
  readonly page: (index: number) => Promise<LinePage>;
  /** Pages of lines before the first is used again. */
  readonly pages: number;
}

/** Steps that use one page of lines. */
const stepsPerPage = 6;

/** Sizes of screens, with how many a step takes. */
const kinds: readonly { readonly size: Size; readonly looks: 'all' | 'tasks'; readonly count: number }[] = [
  { size: { width: 160, height: 160 }, looks: 'all', count: 2 },
  { size: { width: 160, height: 160 }, looks: 'tasks', count: 1 },
  { size: { width: 320, height: 240 }, looks: 'all', count: 1 },
  { size: { width: 640, height: 480 }, looks: 'all', count: 1 },
];
/** Sheets of each kind before the first is used again. */
const sheetsPerKind = 40;

/** Draws the screens of a step: five of perception pages, three of a page of lines. */
export function labelledScreens({
  sheets,
  page,
  pages,
}: LabelledScreensOptions): (step: number) => Promise<LabelledScreen[]> {
  const feeds = kinds.map(() => new PageFeed(sheets));
  let latest: { turn: number; screen: Promise<LabelledScreen> } | undefined;
  return async (step) => {
    const turn = Math.floor(step / stepsPerPage);
    if (latest?.turn !== turn) latest = { turn, screen: page(turn % pages).then(ofLines) };
    const drawn = await Promise.all(
      kinds.map(({ size, looks, count }, i) => {
        const total = sheets.samples({ size, looks }) * sheetsPerKind;
        return feeds[i]!.take({ size, looks }, (step * count) % (total - count + 1), count);
      }),
    );
    const screens = drawn.flat().map((sample) => labelledScreen(sample));
    const lines = await latest.screen;
    return [...screens, lines, lines, lines];
  };
}

function ofLines({ screen, lines }: LinePage): LabelledScreen {
  return { screen, rows: lines.map((line) => rowOfLine(line)) };
}

export function labelledScreen(sample: PerceptionSample): LabelledScreen {
  return { screen: { pixels: sample.pixels, size: sample.size }, rows: rowsOfWords(wordsOf(sample)) };
}
