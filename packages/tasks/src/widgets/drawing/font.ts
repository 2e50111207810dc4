import type { Split } from '@gyre/protocol';

export interface Font {
  readonly family: FontFamily;
  /** px */
  readonly size: number;
  readonly weight: 400 | 700;
}

/**
 * Upper bounds of advance widths in hundredths of an em: narrow letters, lower case, m and w, upper case, M and W, all
 * others, space.
 */
const widths = {
  'Liberation Sans': { 400: [34, 56, 84, 75, 95, 58, 28], 700: [39, 61, 89, 76, 95, 60, 28] },
  'DejaVu Sans': { 400: [42, 64, 98, 75, 99, 66, 32], 700: [50, 72, 105, 82, 111, 72, 35] },
  'Liberation Serif': { 400: [34, 50, 78, 71, 95, 52, 25], 700: [45, 56, 84, 75, 100, 52, 25] },
  'DejaVu Serif': { 400: [48, 65, 95, 82, 103, 66, 32], 700: [53, 73, 106, 88, 113, 72, 35] },
  'DejaVu Sans Mono': { 400: [61, 61, 61, 61, 61, 61, 61], 700: [61, 61, 61, 61, 61, 61, 61] },
  'Liberation Mono': { 400: [61, 61, 61, 61, 61, 61, 61], 700: [61, 61, 61, 61, 61, 61, 61] },
} as const;
export type FontFamily = keyof typeof widths;

const classes = [/[fijlrtI]/, /[a-z]/, /[mw]/, /[A-Z]/, /[MW]/] as const;

/** Those of dev and test are not in train. */
export const fontsOf: Readonly<Record<Split, readonly FontFamily[]>> = {
  train: ['Liberation Sans', 'DejaVu Sans', 'Liberation Serif', 'DejaVu Sans Mono'],
  dev: ['DejaVu Serif', 'Liberation Mono'],
  test: ['DejaVu Serif', 'Liberation Mono'],
};

/** Returns an upper bound of a text's width in px. */
export function widthOf(text: string, { family, size, weight }: Font): number {
  const table = widths[family][weight];
  let hundredths = 0;
  for (const char of text) {
    const kind = char === ' ' ? 6 : [2, 4, 0, 1, 3].find((index) => classes[index]?.test(char));
    hundredths += table[kind ?? 5] ?? 66;
  }
  return Math.ceil((hundredths * size) / 100);
}
