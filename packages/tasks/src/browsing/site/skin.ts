import type { Size, Split } from '@gyre/protocol';
import { families } from '../../perception/screens/typeface.js';
import type { Random } from '../../family/random.js';
import { drawLayout } from '../../family/layout.js';
import { drawSkin } from '../../widgets/drawing/skin.js';

/** Each combination belongs to one split. */
const siteLayouts = {
  head: ['band', 'plain', 'tinted'],
  box: ['framed', 'filled', 'capped'],
  title: ['rule', 'accent', 'large'],
  link: ['coloured', 'underlined'],
  table: ['lines', 'stripes', 'grid'],
  results: ['rows', 'cards'],
  chrome: ['flat', 'round'],
} as const;

export interface SiteSkin {
  readonly classes: string;
  /** Declarations of the stylesheet's custom properties. */
  readonly variables: string;
}

export function drawSiteSkin(random: Random, split: Split, size: Size): SiteSkin {
  const layout = drawLayout<Record<keyof typeof siteLayouts, string>>(random, split, 'browsing', siteLayouts);
  const { name } = drawSkin(random, split, size);
  const family = random.pick(families[split].filter((candidate) => !candidate.includes('Mono')));
  const font = size.width >= 1000 ? random.between(15, 17) : random.between(13, 15);
  const classes = Object.entries(layout).map(([of, choice]) => `${of}-${choice}`);
  return { classes: classes.join(' '), variables: `${name};--size:${font}px;--family:'${family}',sans-serif` };
}
