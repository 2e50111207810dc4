import type { Size, Split } from '@gyre/protocol';
import type { Element } from '../../family/screen/element.js';
import type { Random } from '../../family/random.js';
import { splitOf } from '../../family/split.js';
import { type Colour, colourNames } from '../../family/screen/theme.js';
import { type IconName, iconFamilies, iconNames, iconSvg } from '../../family/screen/icons.js';
import { type Look, spacing } from './look.js';
import type { Typeface } from './typeface.js';
import { type Language, type Wording } from '../words/wording.js';

/** An element whose state may change and whose box is unknown. */
export type Draft = { -readonly [Key in keyof Omit<Element, 'box'>]: Element[Key] } & {
  /** The page's `data-e`. */
  readonly id: number;
  hint?: string;
};

/** Maximum height in em, and HTML that reflects its drafts' state. */
export interface Block {
  readonly height: number;
  html(): string;
}

/** In em. */
export interface Room {
  readonly width: number;
  readonly height: number;
}

export class Kit {
  readonly drafts: Draft[] = [];
  #groups = 0;

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

  /** In em. */
  get row(): number {
    return 1.25 + 2 * this.pad + 4 / this.face.size;
  }

  add(element: Omit<Draft, 'id'>): Draft {
    const draft = { ...element, id: this.drafts.length };
    this.drafts.push(draft);
    return draft;
  }

  /** Draws a part; on failure removes the elements it added. */
  attempt<T>(draw: () => T | undefined): T | undefined {
    const before = this.drafts.length;
    const drawn = draw();
    if (drawn === undefined) this.drafts.length = before;
    return drawn;
  }

  group(): number {
    return this.#groups++;
  }

  /** Draws a layout that the split owns; undefined if it owns none, as small splits may. */
  variant<T extends Record<string, unknown>>(
    kind: string,
    options: { readonly [Key in keyof T]: readonly T[Key][] },
  ): T | undefined {
    for (let attempt = 0; attempt < 60; attempt++) {
      const drawn = this.#layout(options);
      if (splitOf(`layout/${kind}/${this.look.density}/${Object.values(drawn).join('/')}`) === this.split) return drawn;
    }
    return undefined;
  }

  /** Succeeds for kinds with many layouts. */
  ownLayout<T extends Record<string, unknown>>(
    kind: string,
    options: { readonly [Key in keyof T]: readonly T[Key][] },
  ): T {
    for (;;) {
      const drawn = this.variant(kind, options);
      if (drawn) return drawn;
    }
  }

  #layout<T extends Record<string, unknown>>(options: { readonly [Key in keyof T]: readonly T[Key][] }): T {
    return Object.fromEntries(
      Object.entries<readonly unknown[]>(options).map(([name, values]) => [name, this.random.pick(values)]),
    ) as T;
  }

  /** Picks a named colour, if distinct from the accent. */
  colour(share: number): Colour | undefined {
    return this.look.neutral && this.random.chance(share) ? this.random.pick(colourNames) : undefined;
  }

  /** Picks easily confused icons half of the time. */
  iconSet(count: number): IconName[] {
    const alike = this.random.chance(0.5) ? this.random.pick(iconFamilies) : [];
    const others = this.random.shuffle(iconNames.filter((name) => !alike.includes(name)));
    return [...this.random.shuffle(alike), ...others].slice(0, count);
  }

  icon(name: IconName | undefined): string {
    return name ? iconSvg(name, this.look.iconWeight) : '';
  }

  between(first: number, last: number): number {
    return this.random.between(first, Math.max(first, last));
  }
}

export const tag = (draft: Draft): string => ` data-e="${draft.id}"`;

export const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export const classes = (...names: readonly (string | false | undefined)[]): string =>
  ` class="${names.filter(Boolean).join(' ')}"`;
