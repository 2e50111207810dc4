import type { Size } from '@gyre/protocol';
import type { Box } from '../family/box.js';
import type { Element } from '../family/screen/element.js';

/** A visible character. */
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

/** The right answer. */
export type Answer =
  /** A click in one of the boxes (px). */
  | { readonly type: 'point'; readonly boxes: readonly Box[] }
  | { readonly type: 'text'; readonly text: string }
  /** Typed into the focused field. */
  | { readonly type: 'type'; readonly text: string };

export interface Question {
  readonly kind: QuestionKind;
  /** Literal screen texts are in double quotes; a point is `<point>x y</point>`, integers of 0..1000. */
  readonly instruction: string;
  /** A short intermediate step, such as the element's kind. */
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
  /** For a state transition: the screen before, RGB; `pixels` is the screen after. */
  readonly before?: Uint8Array;
}

/** A sample's labels, as stored with its sheet. */
export type Labels = Omit<PerceptionSample, 'pixels' | 'before' | 'size'> & {
  /** Slots of the screen and, for a transition, of the screen before. */
  readonly slot: number;
  readonly beforeSlot?: number;
};
