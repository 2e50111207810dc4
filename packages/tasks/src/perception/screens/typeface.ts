import type { Split } from '@gyre/protocol';
import type { Random } from '../../family/random.js';

/** Font families, each in one split only. */
export const families: Readonly<Record<Split, readonly string[]>> = {
  train: [
    'DejaVu Sans',
    'DejaVu Sans Condensed',
    'DejaVu Serif',
    'DejaVu Serif Condensed',
    'DejaVu Sans Mono',
    'Liberation Sans',
    'Liberation Mono',
    'Open Sans',
    'Carlito',
  ],
  dev: ['Liberation Sans Narrow', 'Cabin'],
  test: ['Liberation Serif', 'Cantarell'],
};

export const familiesZh: Readonly<Record<Split, readonly string[]>> = {
  train: ['WenQuanYi Micro Hei'],
  dev: ['WenQuanYi Zen Hei'],
  test: ['WenQuanYi Zen Hei'],
};

export interface Typeface {
  readonly stack: string;
  /** Body text, in px. */
  readonly size: number;
  readonly weight: 400 | 700;
  /** Letter width relative to a plain sans. */
  readonly breadth: number;
}

export interface Fonts {
  readonly latin: readonly string[];
  readonly chinese: readonly string[];
}

const narrow = /Narrow|Condensed|Carlito|Cabin|Liberation Serif/;

/** Fits a screen `width` px wide. */
export function drawTypeface(random: Random, split: Split, fonts: Fonts, chinese: boolean, width: number): Typeface {
  const installed = (candidates: readonly string[], there: readonly string[]) => {
    const matches = candidates.filter((family) => there.includes(family));
    // Better another family than none; a warning was logged.
    return matches.length > 0 ? matches : there.length > 0 ? there : ['sans-serif'];
  };
  const latin = random.pick(installed(families[split], fonts.latin));
  const zh = random.pick(installed(familiesZh[split], fonts.chinese));
  const weight = random.chance(0.25) ? 700 : 400;
  // A Chinese family has its own Latin letters.
  const order = !chinese ? [latin] : random.chance(0.5) ? [latin, zh] : [zh];
  const small = chinese ? 12 : 11;
  const largest = width < 200 ? 14 : width < 400 ? 16 : width < 1000 ? 18 : 20;
  return {
    stack: `${order.map((family) => `'${family}'`).join(',')},sans-serif`,
    size: random.between(small, random.chance(0.5) ? 13 : largest),
    weight,
    breadth:
      (narrow.test(latin) ? 0.88 : latin.includes('Mono') ? 1.08 : latin.includes('DejaVu') ? 1.08 : 1) *
      (weight > 400 ? 1.08 : 1),
  };
}
