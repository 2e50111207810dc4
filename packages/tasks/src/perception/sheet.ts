import { GyreError, type Size, type Split } from '@gyre/protocol';
import type { BrowserSession } from '@gyre/sandbox';
import sharp from 'sharp';
import type { Element } from '../family/screen/element.js';
import { pageFunction } from '../family/pageScript.js';
import { Random } from '../family/random.js';
import { stylesheet } from '../family/screen/stylesheet.js';
import { type Change, drawChange } from './screens/change.js';
import { type ClassicScene, drawClassic } from './screens/classic.js';
import type { MeasuredSlot } from './measure.page.js';
import { drawQuestions } from './questions/questions.js';
import type { Glyph, Labels, PerceptionSample } from './sample.js';
import { type Scene, drawScene } from './screens/scene.js';
import { perceptionStylesheet } from './screens/style.js';
import type { Fonts } from './screens/typeface.js';
import type { Language } from './words/wording.js';

/** Raised whenever a seed's samples change; invalidates stored ones. */
export const perceptionVersion = 4;

/** Several samples per page cost little more than one. */
const layouts = [
  { width: 160, height: 160, columns: 8, rows: 8 },
  { width: 240, height: 160, columns: 5, rows: 8 },
  { width: 320, height: 240, columns: 4, rows: 5 },
  { width: 480, height: 320, columns: 3, rows: 3 },
  { width: 640, height: 480, columns: 2, rows: 2 },
  { width: 1280, height: 720, columns: 1, rows: 2 },
] as const;

export const perceptionSizes: readonly Size[] = layouts.map(({ width, height }) => ({ width, height }));

/** The last row holds the screens before transitions. */
export interface SheetLayout {
  readonly size: Size;
  readonly columns: number;
  readonly samples: number;
  /** In px. */
  readonly page: Size;
}

/** Throws `bad_input` for an unknown size. */
export function sheetLayout(size: Size): SheetLayout {
  const layout = layouts.find(({ width, height }) => width === size.width && height === size.height);
  if (!layout) {
    throw new GyreError('bad_input', `perception data does not support the size ${size.width} x ${size.height} px`, {
      field: 'size',
      fix: `use one of ${layouts.map(({ width, height }) => `${width} x ${height}`).join(', ')}`,
    });
  }
  const { width, height, columns, rows } = layout;
  return {
    size: { width, height },
    columns,
    samples: columns * rows,
    page: { width: columns * width, height: (rows + 1) * height },
  };
}

/** Determines a sheet. */
export interface SheetTerms {
  readonly seed: number;
  readonly index: number;
  readonly split: Split;
  readonly looks: 'all' | 'tasks';
}

export interface Sheet {
  readonly png: Uint8Array;
  readonly labels: readonly Labels[];
}

interface Cell {
  readonly scene: Scene | ClassicScene;
  readonly language: Language;
  readonly random: Random;
  readonly slot: number;
  readonly beforeSlot?: number;
  readonly change?: Change;
  readonly html: string;
  readonly htmlBefore?: string;
}

export interface SheetDraft {
  readonly layout: SheetLayout;
  readonly terms: SheetTerms;
  readonly cells: readonly Cell[];
}

/** Depends on its terms and fonts only. */
export function draftSheet(layout: SheetLayout, terms: SheetTerms, fonts: Fonts, count = layout.samples): SheetDraft {
  const { size, columns, samples } = layout;
  let spare = samples;
  const cells = Array.from({ length: Math.min(count, samples) }, (_, slot): Cell => {
    const random = new Random(
      `perception/${terms.split}/${terms.seed}/${size.width}x${size.height}/${terms.index}/${slot}`,
    );
    const language = terms.looks === 'all' && fonts.chinese.length > 0 && random.chance(0.25) ? 'zh' : 'en';
    const small = size.width === 160 && size.height === 160;
    if (terms.looks === 'tasks' || (small && language === 'en' && random.chance(0.35))) {
      const scene = drawClassic(random, terms.split);
      return { scene, language, random, slot, html: scene.html() };
    }
    const scene = drawScene(random, { size, split: terms.split, language, fonts });
    const change = random.chance(0.12) && spare < samples + columns ? drawChange(scene, random) : undefined;
    if (!change) return { scene, language, random, slot, html: scene.html() };
    const htmlBefore = scene.html();
    change.apply();
    return { scene, language, random, slot, beforeSlot: spare++, change, html: scene.html(), htmlBefore };
  });
  return { layout, terms, cells };
}

/** Renders and measures in a session of the page's size. Throws `infra` if the browser fails. */
export async function renderSheet(session: BrowserSession, { layout, terms, cells }: SheetDraft): Promise<Sheet> {
  const { size, columns } = layout;
  const slots = cells.flatMap(({ slot, beforeSlot, html, htmlBefore }) => [
    { position: slot, html },
    ...(beforeSlot !== undefined && htmlBefore !== undefined ? [{ position: beforeSlot, html: htmlBefore }] : []),
  ]);
  slots.sort((a, b) => a.position - b.position);
  const placed = slots.map(({ position, html }) => ({
    left: (position % columns) * size.width,
    top: Math.floor(position / columns) * size.height,
    html,
  }));
  await session.browser.open({ html: slotsHtml(placed, size), seed: terms.seed });
  const measured = await session.browser.evaluate<MeasuredSlot[]>(`(${pageFunction('perception/measure')})()`);
  const { png } = await session.screen.observe();
  const bySlot = new Map(slots.map(({ position }, index) => [position, measured[index]]));
  return { png, labels: cells.map((cell) => labelsOf(cell, size, bySlot.get(cell.slot), terms.split)) };
}

/** Returns a document with screens of a size at their places, in px. */
export function slotsHtml(
  slots: readonly (Record<'left' | 'top', number> & { readonly html: string })[],
  { width, height }: Size,
): string {
  const body = slots.map(
    ({ html, ...place }) =>
      `<div class="slot" style="left:${place.left}px;top:${place.top}px;width:${width}px;height:${height}px">${html}</div>`,
  );
  const head = `<meta charset="utf-8"><style>${stylesheet}${perceptionStylesheet}</style>`;
  return `<!doctype html><html lang="en"><head>${head}</head><body>${body.join('')}</body></html>`;
}

function labelsOf(cell: Cell, size: Size, measured: MeasuredSlot | undefined, split: Split): Labels {
  const { slot, beforeSlot, scene, random, language, change } = cell;
  const { elements, hidden } = 'kit' in scene ? elementsOf(scene, measured) : { elements: scene.elements, hidden: [] };
  const glyphs = (measured?.words ?? []).flatMap(glyphsOf);
  return {
    slot,
    ...(beforeSlot !== undefined && { beforeSlot }),
    glyphs,
    elements,
    questions: drawQuestions({ elements, hidden, size, random, split, language, ...(change && { change }) }),
  };
}

function elementsOf({ kit }: Scene, measured: MeasuredSlot | undefined): { elements: Element[]; hidden: Element[] } {
  const elements: Element[] = [];
  const hidden: Element[] = [];
  for (const [id, x, y, width, height, seen] of measured?.elements ?? []) {
    const draft = kit.drafts[id];
    if (!draft) continue;
    const { id: _, hint: __, ...element } = draft;
    (seen === 0 ? elements : hidden).push({ ...element, box: { x, y, width, height } });
  }
  return { elements, hidden };
}

function glyphsOf([word, rects]: MeasuredSlot['words'][number]): Glyph[] {
  return [...word].flatMap((char, index) => {
    const [x = 0, y = 0, width = 0, height = 0] = rects.slice(index * 4, index * 4 + 4);
    return width > 0 && height > 0 ? [{ char, word, index, box: { x, y, width, height } }] : [];
  });
}

/** Throws sharp's error for a broken image. */
export async function cutSheet(
  { png, labels }: Sheet,
  { size, columns, page }: SheetLayout,
): Promise<PerceptionSample[]> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  if (info.width !== page.width || info.height !== page.height || info.channels !== 3)
    throw new GyreError('bad_input', 'the sheet image has the wrong size', { field: 'png' });
  const cut = (slot: number): Uint8Array => {
    const [startX, startY] = [(slot % columns) * size.width, Math.floor(slot / columns) * size.height];
    const pixels = new Uint8Array(size.width * size.height * 3);
    for (let row = 0; row < size.height; row++) {
      const from = ((startY + row) * page.width + startX) * 3;
      pixels.set(data.subarray(from, from + size.width * 3), row * size.width * 3);
    }
    return pixels;
  };
  return labels.map(({ slot, beforeSlot, ...rest }) => ({
    pixels: cut(slot),
    size,
    ...rest,
    ...(beforeSlot !== undefined && { before: cut(beforeSlot) }),
  }));
}
