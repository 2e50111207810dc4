import type { Size, Split } from '@gyre/protocol';
import type { Box } from '../../family/box.js';
import type { Element, ElementKind } from '../../family/screen/element.js';
import type { Random } from '../../family/random.js';
import type { Change } from '../screens/change.js';
import type { Phrase } from '../words/phrase.js';
import type { Language } from '../words/wording.js';

export interface View {
  /** Wholly visible. */
  readonly elements: readonly Element[];
  /** Partly visible or covered: no targets, but possible ambiguity. */
  readonly hidden: readonly Element[];
  readonly size: Size;
  readonly random: Random;
  readonly split: Split;
  /** Instructions may be in English on a Chinese screen. */
  readonly language: Language;
  readonly change?: Change;
}

export interface Reference {
  readonly phrase: Phrase;
  readonly element: Element;
}

/** Returns matching elements, or none unless all are wholly visible. */
export function fitting(view: View, fits: (element: Element) => boolean): readonly Element[] {
  return view.hidden.some(fits) ? [] : view.elements.filter(fits);
}

export function isUnique(view: View, element: Element, fits: (element: Element) => boolean): boolean {
  const matches = fitting(view, fits);
  return matches.length === 1 && matches[0] === element;
}

export const allElements = (view: View): readonly Element[] => [...view.elements, ...view.hidden];

const holders: ReadonlySet<ElementKind> = new Set(['row', 'dialog', 'item']);
export const isContainer = ({ kind }: Element): boolean => holders.has(kind);

/** Similar kinds prevent counting and naming by kind. */
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

/** Returns whether nothing else could be mistaken for the kind. */
export function isUnambiguousKind(view: View, kind: ElementKind): boolean {
  const others = lookalikes[kind] ?? [];
  return !allElements(view).some((element) => others.includes(element.kind));
}

export const centre = ({ x, y, width, height }: Box): { x: number; y: number } => ({
  x: x + width / 2,
  y: y + height / 2,
});

/** Omits the kind if the text is unique. */
export function referByText(view: View, element: Element): Reference | undefined {
  const { label } = element;
  if (label === '' || label.includes('"') || element.kind === 'tile') return undefined;
  if (!isUnique(view, element, (other) => hasText(other, label))) return undefined;
  return { element, phrase: { en: `"${label}"`, zh: `"${label}"` } };
}

export const hasText = (element: Element, text: string): boolean =>
  (element.label === text && !['row', 'dialog'].includes(element.kind)) ||
  (element.name === text && element.kind !== 'cell' && element.kind !== 'text');
