import type { Size, Split } from '@gyre/protocol';
import type { BrowserPool, BrowserSession } from '@gyre/sandbox';
import { hanzi } from '@gyre/engine';
import { pageFunction } from '../family/pageScript.js';
import type { PerceptionSample } from './sample.js';
import { type Sheet, cutSheet, draftSheet, renderSheet, sheetLayout, slotsHtml } from './sheet.js';
import { type Fonts, families, familiesZh } from './screens/typeface.js';

export interface PerceptionOptions {
  readonly seed: number;
  readonly count: number;
  /** One of `perceptionSizes`. Default 160 x 160. */
  readonly size?: Size;
  /** Default `train`. */
  readonly split?: Split;
  /** `tasks`: only the looks of the task families. Default `all`. */
  readonly looks?: 'all' | 'tasks';
  /** Index of the first sheet. Default 0. */
  readonly first?: number;
}

/**
 * Yields labelled screens, deterministic given the installed fonts. Throws `bad_input` for an unknown size, `infra` if
 * the browser fails.
 */
export async function* perceive(pool: BrowserPool, options: PerceptionOptions): AsyncGenerator<PerceptionSample[]> {
  const layout = sheetLayout(options.size ?? { width: 160, height: 160 });
  let decoding: Promise<PerceptionSample[]> | undefined;
  for await (const sheet of perceptionSheets(pool, options)) {
    // Decode this sheet while the browser renders the next.
    const finished = await decoding;
    decoding = cutSheet(sheet, layout);
    decoding.catch(() => undefined);
    if (finished) yield finished;
  }
  if (decoding) yield await decoding;
}

/** Yields the sheets of `perceive`. */
export async function* perceptionSheets(pool: BrowserPool, options: PerceptionOptions): AsyncGenerator<Sheet> {
  const { seed, count, split = 'train', looks = 'all', first = 0 } = options;
  const layout = sheetLayout(options.size ?? { width: 160, height: 160 });
  const sheets = Math.ceil(count / layout.samples);
  const session = await pool.lease({ size: layout.page });
  try {
    const fonts = await fontsOf(session);
    const draft = (n: number) =>
      n < sheets
        ? draftSheet(layout, { seed, index: first + n, split, looks }, fonts, count - n * layout.samples)
        : undefined;
    let next = draft(0);
    for (let n = 0; next; n++) {
      const rendering = renderSheet(session, next);
      next = draft(n + 1);
      yield await rendering;
    }
  } finally {
    await session.release();
  }
}

/** Returns the documents of `perceive`'s screens, one each, for sessions of their size. */
export async function perceptionPages(
  session: BrowserSession,
  { seed, count, size = { width: 160, height: 160 }, split = 'train', looks = 'all', first = 0 }: PerceptionOptions,
): Promise<string[]> {
  const layout = sheetLayout(size);
  const fonts = await fontsOf(session);
  const sheets = Array.from({ length: Math.ceil(count / layout.samples) }, (_, n) =>
    draftSheet(layout, { seed, index: first + n, split, looks }, fonts, count - n * layout.samples),
  );
  return sheets.flatMap(({ cells }) => cells.map(({ html }) => slotsHtml([{ left: 0, top: 0, html }], size)));
}

let known: Fonts | undefined;

async function fontsOf(session: BrowserSession): Promise<Fonts> {
  if (known) return known;
  await session.browser.open({ html: '<!doctype html><title>fonts</title>', seed: 0 });
  const present = (among: readonly string[], text: string): Promise<string[]> =>
    session.browser.evaluate<string[]>(
      `(${pageFunction('perception/screens/fonts')})(${JSON.stringify({ families: among, text })})`,
    );
  const distinct = (lists: Readonly<Record<Split, readonly string[]>>) => [...new Set(Object.values(lists).flat())];
  const fonts = {
    latin: await present(distinct(families), 'The quick brown fox 0123456789 @#%&'),
    // Use Latin letters: Chinese glyphs fall back to any family that has them.
    chinese: await present(distinct(familiesZh), `Mrgil 0123 ${hanzi.slice(0, 20)}`),
  };
  const missing = [...distinct(families), ...distinct(familiesZh)].filter(
    (family) => !fonts.latin.includes(family) && !fonts.chinese.includes(family),
  );
  if (missing.length > 0) {
    process.emitWarning(`perception data lacks the fonts ${missing.join(', ')}: on Debian, \`npm test\` installs them`);
  }
  known = fonts;
  return fonts;
}
