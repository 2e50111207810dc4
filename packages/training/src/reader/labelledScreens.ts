import type { Size } from '@gyre/protocol';
import type { PerceptionSample } from '@gyre/tasks';
import { PageFeed, type SheetSource } from '../ct/pageFeed.js';
import type { LabelledScreen } from './detectorLesson.js';
import type { LinePage } from './linePage.js';
import { rowOfLine, rowsOfWords, wordsOf } from './textRow.js';

export interface LabelledScreensOptions {
  readonly sheets: SheetSource;
  /** The page of lines, and of screens of tasks, of each turn. */
  readonly pages: (turn: number) => Promise<readonly [lines: LinePage, tasks: LinePage]>;
}

/** Steps that use one page of lines. */
const stepsPerPage = 6;

interface ScreenKind {
  readonly size: Size;
  readonly looks: 'all' | 'tasks';
  /** Screens of a step. */
  readonly count: number;
  /** Steps that use the same screens: other windows of a large one are other pictures, and rendering is dear. */
  readonly steps: number;
}

const kinds: readonly ScreenKind[] = [
  { size: { width: 160, height: 160 }, looks: 'all', count: 2, steps: 1 },
  { size: { width: 160, height: 160 }, looks: 'tasks', count: 1, steps: 1 },
  { size: { width: 320, height: 240 }, looks: 'all', count: 1, steps: 3 },
  { size: { width: 640, height: 480 }, looks: 'all', count: 1, steps: 6 },
];
/** Sheets of each kind before the first is used again. */
const sheetsPerKind = 24;

/** Draws the screens of a step: five of perception pages, one of a page of lines, two of screens of tasks. */
export function labelledScreens({
  sheets,
  pages,
}: LabelledScreensOptions): (step: number) => Promise<LabelledScreen[]> {
  const feeds = kinds.map(() => new PageFeed(sheets));
  let latest: { turn: number; screens: Promise<readonly LabelledScreen[]> } | undefined;
  return async (step) => {
    const turn = Math.floor(step / stepsPerPage);
    if (latest?.turn !== turn) latest = { turn, screens: pages(turn).then((both) => both.map(ofLines)) };
    const drawn = await Promise.all(
      kinds.map(({ size, looks, count, steps }, i) => {
        const total = sheets.samples({ size, looks }) * sheetsPerKind;
        const first = (Math.floor(step / steps) * count) % (total - count + 1);
        return feeds[i]!.take({ size, looks }, first, count);
      }),
    );
    const screens = drawn.flat().map((sample) => labelledScreen(sample));
    const [lines, tasks] = await latest.screens;
    return [...screens, lines!, tasks!, tasks!];
  };
}

function ofLines({ screen, lines }: LinePage): LabelledScreen {
  return { screen, rows: lines.filter(({ text }) => text !== '').map((line) => rowOfLine(line)) };
}

export function labelledScreen(sample: PerceptionSample): LabelledScreen {
  return { screen: { pixels: sample.pixels, size: sample.size }, rows: rowsOfWords(wordsOf(sample)) };
}
