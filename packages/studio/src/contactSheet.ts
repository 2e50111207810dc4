import type { Size } from '@gyre/protocol';
import type { BrowserPool } from '@gyre/sandbox';
import { html, Markup } from './markup.js';

export interface Tile {
  readonly title: string;
  readonly text: string;
  readonly png: Uint8Array;
  /** In px. */
  readonly size: Size;
}

export interface TileSection {
  readonly title: string;
  readonly tiles: readonly Tile[];
}

/** In px. */
const narrowest = 200;
const widest = 320;
const sheetWidth = 1440;
const gap = 16;

interface Grid {
  readonly cell: number;
  readonly columns: number;
}

export async function contactSheet(pool: BrowserPool, sections: readonly TileSection[]): Promise<Uint8Array> {
  const grids = sections.map(gridOf);
  const width = gap + Math.max(...grids.map(({ cell, columns }) => columns * (cell + gap)));
  const sheet = page(sections, grids);
  const draft = await pool.lease({ size: { width, height: 64 } });
  await draft.browser.open({ html: sheet, seed: 1 });
  const height = await draft.browser.evaluate<number>('Math.ceil(document.body.getBoundingClientRect().height)');
  await draft.release();
  const session = await pool.lease({ size: { width, height } });
  try {
    await session.browser.open({ html: sheet, seed: 1 });
    return await session.browser.screenshot('png');
  } finally {
    await session.release();
  }
}

function gridOf({ tiles }: TileSection): Grid {
  const cell = Math.min(widest, Math.max(narrowest, ...tiles.map(({ size }) => size.width)));
  return { cell, columns: Math.max(1, Math.min(tiles.length, Math.floor((sheetWidth - gap) / (cell + gap)))) };
}

function page(sections: readonly TileSection[], grids: readonly Grid[]): string {
  const style = new Markup(`
*{box-sizing:border-box}
body{margin:0;padding:${gap}px;background:#eef0f3;color:#1d2530;font:13px/1.35 'DejaVu Sans','Noto Sans CJK SC',sans-serif}
h1{margin:0 0 12px;font-size:18px}
.tiles{display:grid;gap:${gap}px;margin-bottom:${gap}px}
figure{margin:0;display:flex;flex-direction:column;justify-content:flex-end;min-width:0}
img{display:block;max-width:100%;border:1px solid #c3c9d1;border-radius:3px;background:#fff}
figcaption{padding:6px 2px 0;height:62px;overflow:hidden}
b{display:block;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
p{margin:0;color:#556170;font-size:12px;display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden}`);
  const body = sections.map(({ title, tiles }, index) => {
    const { cell, columns } = grids[index]!;
    return html`<h1>${title}</h1>
      <div class="tiles" style="grid-template-columns:repeat(${columns},${cell}px)">
        ${tiles.map((tile) => figure(tile, cell))}
      </div>`;
  });
  return String(
    html`<!doctype html>
      <html>
        <head>
          <meta charset="utf-8" />
          <style>
            ${style}
          </style>
        </head>
        <body>
          ${body}
        </body>
      </html>`,
  );
}

function figure({ title, text, png, size }: Tile, cell: number): Markup {
  const width = Math.min(cell, size.width);
  const height = Math.round((size.height * width) / size.width);
  return html`<figure>
    <img
      src="data:image/png;base64,${Buffer.from(png).toString('base64')}"
      width="${width}"
      height="${height}"
      alt=""
    />
    <figcaption>
      <b>${title}</b>
      <p>${text}</p>
    </figcaption>
  </figure>`;
}
