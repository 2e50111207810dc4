import type { Size, Split } from '@gyre/protocol';
import { families, familiesZh } from '../../perception/screens/typeface.js';
import type { Random } from '../../family/random.js';
import { drawSkin } from '../../widgets/drawing/skin.js';
import type { AppLayout } from '../app.js';
import { appStylesheet } from './appStylesheet.js';
import type { Language } from '../data/lexicon.js';

/** Declarations of the stylesheet's custom properties. */
export type AppLook = string;

/** Draws a look whose colours and fonts no other split has. */
export function drawLook(random: Random, split: Split, language: Language, size: Size): AppLook {
  const { name } = drawSkin(random, split, size);
  const latin = random.pick(families[split].filter((family) => !family.includes('Mono')));
  const chinese = random.pick(familiesZh[split]);
  const stack = language === 'en' ? [latin] : random.chance(0.5) ? [latin, chinese] : [chinese];
  // DejaVu is wide for its size.
  const maxSize =
    size.width >= 1000 ? 16 : language === 'en' && latin.startsWith('DejaVu S') && !latin.includes('Cond') ? 12 : 14;
  const letters = random.between(12, maxSize);
  return `${name};--size:${letters}px;--font:${letters}px/1.3 ${stack.map((family) => `'${family}'`).join(',')},sans-serif`;
}

export function appHtml(app: string, layout: AppLayout, look: AppLook, styles: string): string {
  const classes = Object.entries(layout).map(([name, choice]) => `${name}-${choice}`);
  return (
    `<!doctype html><html><head><meta charset="utf-8"><style>:root{${look}}${appStylesheet}${styles.replaceAll('\n', '')}</style>` +
    `</head><body><div id="app" class="app ${app} ${classes.join(' ')}"></div></body></html>`
  );
}
