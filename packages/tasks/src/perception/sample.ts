import type { Size } from '@gyre/protocol';
import type { Box } from '../family/box.js';
import type { Element } from '../family/screen/element.js';

/** A character as it stands on the screen. */
export interface Glyph {
  /** Printable ASCII without the space, or one of `hanzi`. */
  readonly char: string;
  readonly box: Box;
  /** The run of characters without a space that it belongs to, and its place in it from 0. */
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

/** What is right to do or to say. */
export type Answer =
  /** A click anywhere in one of the boxes (px). */
  | { readonly type: 'point'; readonly boxes: readonly Box[] }
  /** These words, said. */
  | { readonly type: 'text'; readonly text: string }
  /** These characters, typed: the keyboard is in a field. */
  | { readonly type: 'type'; readonly text: string };

export interface Question {
  readonly kind: QuestionKind;
  /**
   * What the agent is told. Literal texts of the screen stand in double quotes; a point is written `<point>x y</point>`, in
   * whole numbers of 0..1000.
   */
  readonly instruction: string;
  /** A few words on the way to the answer, where they help: what thing it is. */
  readonly thought?: string;
  readonly answer: Answer;
}

/** A screen with what is to be read and found on it. Boxes are in px of the sample. */
export interface PerceptionSample {
  /** RGB, [height, width, 3]. */
  readonly pixels: Uint8Array;
  readonly size: Size;
  /** Every character that is wholly seen. */
  readonly glyphs: readonly Glyph[];
  /** Everything that is wholly seen and can be acted on or named. */
  readonly elements: readonly Element[];
  readonly questions: readonly Question[];
  /** Of a state transition: the screen before, RGB like `pixels`, which is the screen after. */
  readonly before?: Uint8Array;
}

/** A sample without its pixels: what a sheet says of one of its cells. */
export type Labels = Omit<PerceptionSample, 'pixels' | 'before' | 'size'> & {
  /** Slots of the sheet that hold the screen and, for a transition, the screen before. */
  readonly slot: number;
  readonly beforeSlot?: number;
};
