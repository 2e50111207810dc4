import type { Size, Split } from '@gyre/protocol';
import type { Box } from '../../family/box.js';
import type { Element, ElementKind } from '../../family/screen/element.js';
import type { Random } from '../../family/random.js';
import type { Change } from '../screens/change.js';
import type { Phrase } from '../words/phrase.js';
import type { Language } from '../words/wording.js';

/** A screen as questions are asked of it. */
export interface View {
  /** Wholly seen. */
  readonly elements: readonly Element[];
  /** Seen in part or under something: nothing that may be meant, but what may be mistaken. */
  readonly hidden: readonly Element[];
  readonly size: Size;
  readonly random: Random;
  readonly split: Split;
  /** Of the screen. Instructions may be in English on a Chinese one. */
  readonly language: Language;
  readonly change?: Change;
}

/** Something on the screen as it may be told from all else. */
export interface Reference {
  readonly phrase: Phrase;
  readonly element: Element;
}

/** The elements that a condition fits, where all of them are wholly seen; none otherwise. */
export function fitting(view: View, fits: (element: Element) => boolean): readonly Element[] {
  return view.hidden.some(fits) ? [] : view.elements.filter(fits);
}

/** True where an element is the only one that a condition fits. */
export function alone(view: View, element: Element, fits: (element: Element) => boolean): boolean {
  const found = fitting(view, fits);
  return found.length === 1 && found[0] === element;
}

/** Everything on the screen. */
export const all = (view: View): readonly Element[] => [...view.elements, ...view.hidden];

/** Kinds that hold others. */
const holders: ReadonlySet<ElementKind> = new Set(['row', 'dialog', 'item']);
export const isHolder = ({ kind }: Element): boolean => holders.has(kind);

/** Kinds that look much like others: where one of them is there too, things are not counted and not told by kind alone. */
const lookalikes: Readonly<Partial<Record<ElementKind, readonly ElementKind[]>>> = {
  button: ['icon', 'page', 'stepper', 'chip', 'select', 'tab', 'shape', 'badge', 'entry', 'item', 'radio'],
  chip: ['badge', 'button', 'radio'],
  badge: ['chip', 'button'],
  field: ['area', 'select', 'stepper'],
  area: ['field', 'select'],
  select: ['field', 'area', 'button'],
  item: ['entry', 'row', 'tab'],
  entry: ['item'],
  link: ['crumb', 'text', 'title'],
  crumb: ['link'],
  tab: ['button', 'chip'],
  radio: ['checkbox', 'chip'],
  progress: ['slider', 'bar'],
  slider: ['progress'],
  bar: ['progress'],
  icon: ['button', 'shape', 'item', 'entry', 'tab', 'field', 'text', 'checkbox'],
  page: ['button', 'day'],
  day: ['page'],
};

/** True where nothing on the screen could be taken for a thing of a kind without being one. */
export function isPlain(view: View, kind: ElementKind): boolean {
  const others = lookalikes[kind] ?? [];
  return !all(view).some((element) => others.includes(element.kind));
}

export const centre = ({ x, y, width, height }: Box): { x: number; y: number } => ({
  x: x + width / 2,
  y: y + height / 2,
});

/** How to say an element by its words: where nothing else bears them, the words alone do. */
export function byWords(view: View, element: Element): Reference | undefined {
  const { label } = element;
  if (label === '' || label.includes('"') || element.kind === 'tile') return undefined;
  if (!alone(view, element, (other) => bears(other, label))) return undefined;
  return { element, phrase: { en: `"${label}"`, zh: `"${label}"` } };
}

/** Does an element show these words, on it or beside it? */
export const bears = (element: Element, text: string): boolean =>
  (element.label === text && !['row', 'dialog'].includes(element.kind)) ||
  (element.name === text && element.kind !== 'cell' && element.kind !== 'text');
