import type { Point, Size, Split } from '@gyre/protocol';
import type { BrowserPool, BrowserSession } from '@gyre/sandbox';
import sharp from 'sharp';
import { appFamilies } from '../../apps/families.js';
import type { TaskFamily, TaskInstance } from '../../family/family.js';
import { pageFunction } from '../../family/pageScript.js';
import { Random } from '../../family/random.js';
import { startTask } from '../../family/run.js';
import { noReadingNoise } from '../../reading/noise.js';
import type { Word } from '../../reading/word.js';
import { leftOf, middleOf, rightOf, wordLines } from '../../reading/wordLines.js';
import { wordsOf } from '../../reading/words.js';
import { widgetFamilies } from '../../widgets/families.js';
import type { LineSheet, SheetLine } from './lineSheet.js';
import type { ShapeBox } from './shapes.page.js';

/** Raised whenever a seed's sheets change; invalidates stored ones. */
export const taskSheetVersion = 1;

interface SheetKind {
  readonly families: Readonly<Record<string, TaskFamily>>;
  /** Size of the screens, in px. */
  readonly size: Size;
  readonly columns: number;
  readonly rows: number;
}

const kinds: readonly [SheetKind, ...SheetKind[]] = [
  { families: widgetFamilies, size: { width: 160, height: 160 }, columns: 8, rows: 9 },
  { families: appFamilies, size: { width: 640, height: 480 }, columns: 2, rows: 3 },
  { families: widgetFamilies, size: { width: 320, height: 240 }, columns: 4, rows: 6 },
  { families: appFamilies, size: { width: 640, height: 480 }, columns: 2, rows: 3 },
];

/** Screens of one task: as it opens, and after turns of the oracle. */
const screensPerTask = 3;

interface Tile {
  readonly png: Uint8Array;
  readonly lines: readonly SheetLine[];
}

/** Renders a sheet of screens of tasks, side by side, with their lines. Throws `infra` if the browser fails. */
export async function taskSheet(
  pool: BrowserPool,
  { seed, index, split }: { readonly seed: number; readonly index: number; readonly split: Split },
): Promise<LineSheet> {
  const { families, size, columns, rows } = kinds[index % kinds.length]!;
  const random = new Random(`tasks/${split}/${seed}/${index}`);
  const session = await pool.lease({ size });
  const tiles: Tile[] = [];
  try {
    let waiting: TaskFamily[] = [];
    while (tiles.length < columns * rows) {
      if (waiting.length === 0) waiting = random.shuffle(Object.values(families));
      const task = waiting.pop()!.create(split, random.between(0, 1e9), size);
      tiles.push(...(await played(session, task)));
    }
  } finally {
    await session.release();
  }
  const placed = tiles.slice(0, columns * rows);
  const cornerOf = (tile: number): Point => ({
    x: (tile % columns) * size.width,
    y: Math.floor(tile / columns) * size.height,
  });
  const { width, height } = { width: columns * size.width, height: rows * size.height };
  const png = await sharp({ create: { width, height, channels: 3, background: '#fff' } })
    .composite(placed.map((tile, i) => ({ input: Buffer.from(tile.png), left: cornerOf(i).x, top: cornerOf(i).y })))
    .png()
    .toBuffer();
  return { png, lines: placed.flatMap(({ lines }, i) => lines.map((line) => moved(line, cornerOf(i)))) };
}

async function played(session: BrowserSession, task: TaskInstance): Promise<Tile[]> {
  const verifier = await startTask(session, task);
  const tiles: Tile[] = [];
  while (tiles.length < screensPerTask) {
    const { png, size } = await session.screen.observe();
    // A dialog hides the page from scripts.
    if (session.browser.page.asks !== undefined) break;
    const words = await wordsOf(session);
    const shapes = await session.browser.evaluate<ShapeBox[]>(`(${pageFunction('perception/lines/shapes')})()`);
    tiles.push({ png, lines: [...linesOf(words, size), ...blanksOf(shapes, words)] });
    const { actions } = await verifier.oracle();
    if (actions.length === 0 || actions.some(({ type }) => type === 'finished')) break;
    for (const action of actions) await session.screen.act(action);
  }
  return tiles;
}

/** Reach of a line above and below its middle, in em. */
const reach = 0.585;

function linesOf(words: readonly Word[], { width, height }: Size): SheetLine[] {
  return wordLines(words, noReadingNoise, '').map((line) => {
    const em = Math.max(...line.map(({ fontSize }) => fontSize));
    const middle = line.reduce((sum, word) => sum + middleOf(word), 0) / line.length;
    const [top, bottom] = [middle - reach * em, middle + reach * em];
    const characters = line.flatMap((word, index) => {
      const before = line[index - 1];
      const drawn = [...word.text].map((text, i) => ({ text, sides: [word.edges[i]!, word.edges[i + 1]!] }));
      return before === undefined ? drawn : [{ text: ' ', sides: [rightOf(before), leftOf(word)] }, ...drawn];
    });
    const sides = characters.flatMap((character) => character.sides);
    const isWhole = top >= 0 && bottom <= height && Math.min(...sides) >= 0 && Math.max(...sides) <= width;
    return {
      text: characters.map(({ text }) => text).join(''),
      top,
      bottom,
      sides,
      ...((!isWhole || line.some(({ clipped }) => clipped)) && { clipped: true }),
    };
  });
}

/** Returns shapes that no word touches, as lines without text. */
function blanksOf(shapes: readonly ShapeBox[], words: readonly Word[]): SheetLine[] {
  return shapes.flatMap(([x, y, width, height]) => {
    const isCovered = words.some((word) => {
      const [top, bottom] = [middleOf(word) - reach * word.fontSize, middleOf(word) + reach * word.fontSize];
      return leftOf(word) < x + width && rightOf(word) > x && top < y + height && bottom > y;
    });
    return isCovered ? [] : [{ text: '', top: y, bottom: y + height, sides: [x, x + width] }];
  });
}

function moved(line: SheetLine, { x, y }: Point): SheetLine {
  return { ...line, top: line.top + y, bottom: line.bottom + y, sides: line.sides.map((side) => side + x) };
}
