import type { Size } from '@gyre/protocol';
import type { Box } from '../family/box.js';
import type { Element } from '../family/screen/element.js';

export interface Glyph {
  /** Printable ASCII without the space, or one of `hanzi`. */
  readonly char: string;
  readonly box: Box;
  /** Its space-free run of characters, and its index there. */
  readonly word: string;
  readonly index: number;
}

export const questionKinds = [
  'label',
  'colour',
  'shape',
  'position',
  'relation',
  'state',
  'icon',
  'role',
  'read',
  'describe',
  'dense',
  'transition',
  'type',
] as const;
export type QuestionKind = (typeof questionKinds)[number];

export type Answer =
  | { readonly type: 'point'; readonly boxes: readonly Box[] }
  /** With the place where the text stands, if it is written on the screen. */
  | { readonly type: 'text'; readonly text: string; readonly box?: Box }
  | { readonly type: 'type'; readonly text: string };

export interface Question {
  readonly kind: QuestionKind;
  /** Quotes literal texts; a point is `<point>x y</point>`, integers of 0..1000. */
  readonly instruction: string;
  /** A short intermediate step. */
  readonly thought?: string;
  readonly answer: Answer;
}

/** A labelled screen. Boxes are in px of the sample. */
export interface PerceptionSample {
  /** RGB, [height, width, 3]. */
  readonly pixels: Uint8Array;
  readonly size: Size;
  /** Wholly visible ones. */
  readonly glyphs: readonly Glyph[];
  /** Wholly visible ones. */
  readonly elements: readonly Element[];
  readonly questions: readonly Question[];
  /** For a state transition, the screen before, RGB. */
  readonly before?: Uint8Array;
}

export type Labels = Omit<PerceptionSample, 'pixels' | 'before' | 'size'> & {
  /** Slots of the screen and of the one before a transition. */
  readonly slot: number;
  readonly beforeSlot?: number;
};
