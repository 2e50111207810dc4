import type { Size, Split } from '@gyre/protocol';
import type { Element } from '../../family/screen/element.js';
import type { Random } from '../../family/random.js';
import { splitOf } from '../../family/split.js';
import { type Colour, colourNames } from '../../family/screen/theme.js';
import { type IconName, iconFamilies, iconNames, iconSvg } from '../../family/screen/icons.js';
import { type Look, spacing } from './look.js';
import type { Typeface } from './typeface.js';
import { type Language, type Wording } from '../words/wording.js';

/** An element while its screen is drawn: its state may still change, its box is not known yet. */
export type Draft = { -readonly [Key in keyof Omit<Element, 'box'>]: Element[Key] } & {
  /** Place among the drafts of the screen: how the page names it. */
  readonly id: number;
  /** Of fields: what stands in it, faint, while it is empty. */
  hint?: string;
};

/** A part of a screen: how high it is at most, in em, and its HTML, which shows the state of its drafts. */
export interface Block {
  readonly height: number;
  html(): string;
}

/** Room for a block, in em. */
export interface Room {
  readonly width: number;
  readonly height: number;
}

/** What a screen is drawn with: one look, one typeface, words that do not occur twice, and the elements so far. */
export class Kit {
  readonly drafts: Draft[] = [];
  private groups = 0;

  constructor(
    readonly random: Random,
    readonly split: Split,
    readonly language: Language,
    readonly size: Size,
    readonly look: Look,
    readonly face: Typeface,
    readonly wording: Wording,
  ) {}

  get pad(): number {
    return spacing[this.look.density].pad;
  }

  get gap(): number {
    return spacing[this.look.density].gap;
  }

  /** Height of a control with one line of words, in em. */
  get row(): number {
    return 1.25 + 2 * this.pad + 4 / this.face.size;
  }

  add(element: Omit<Draft, 'id'>): Draft {
    const draft = { ...element, id: this.drafts.length };
    this.drafts.push(draft);
    return draft;
  }

  /** Draws a part; where that fails, the elements that it has left behind are taken out again. */
  attempt<T>(draw: () => T | undefined): T | undefined {
    const before = this.drafts.length;
    const drawn = draw();
    if (drawn === undefined) this.drafts.length = before;
    return drawn;
  }

  /** The number of a new list, table, strip or grid. */
  group(): number {
    return this.groups++;
  }

  /**
   * Draws a layout of a kind, each part from its options, such that the split owns it. Undefined where none was found: a kind
   * of few layouts may have none in a small split.
   */
  variant<T extends Record<string, unknown>>(
    kind: string,
    options: { readonly [Key in keyof T]: readonly T[Key][] },
  ): T | undefined {
    for (let attempt = 0; attempt < 60; attempt++) {
      const drawn = this.layout(options);
      if (splitOf(`layout/${kind}/${this.look.density}/${Object.values(drawn).join('/')}`) === this.split) return drawn;
    }
    return undefined;
  }

  /** A layout of a kind of which there are many: one that the split owns is always found. */
  ownLayout<T extends Record<string, unknown>>(
    kind: string,
    options: { readonly [Key in keyof T]: readonly T[Key][] },
  ): T {
    for (;;) {
      const drawn = this.variant(kind, options);
      if (drawn) return drawn;
    }
  }

  private layout<T extends Record<string, unknown>>(options: { readonly [Key in keyof T]: readonly T[Key][] }): T {
    return Object.fromEntries(
      Object.entries<readonly unknown[]>(options).map(([name, values]) => [name, this.random.pick(values)]),
    ) as T;
  }

  /** A colour name, on looks where it can be told from the accent. */
  colour(share: number): Colour | undefined {
    return this.look.neutral && this.random.chance(share) ? this.random.pick(colourNames) : undefined;
  }

  /** Distinct icons, half of the time such as are easily taken for one another. */
  iconSet(count: number): IconName[] {
    const alike = this.random.chance(0.5) ? this.random.pick(iconFamilies) : [];
    const others = this.random.shuffle(iconNames.filter((name) => !alike.includes(name)));
    return [...this.random.shuffle(alike), ...others].slice(0, count);
  }

  icon(name: IconName | undefined): string {
    return name ? iconSvg(name, this.look.iconWeight) : '';
  }

  /** A number within a range, in both directions inclusive. */
  between(first: number, last: number): number {
    return this.random.between(first, Math.max(first, last));
  }
}

/** The attribute by which the page's element is measured as the draft. */
export const tag = (draft: Draft): string => ` data-e="${draft.id}"`;

/** Text as HTML. */
export const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** A list of class names without those that are not so. */
export const classes = (...names: readonly (string | false | undefined)[]): string =>
  ` class="${names.filter(Boolean).join(' ')}"`;
