import type { Box } from '../../family/box.js';
import type { Element, ElementKind } from '../../family/screen/element.js';
import { describe, nouns, type Phrase } from '../words/phrase.js';
import {
  type View,
  allElements,
  isUnique,
  hasText,
  referByText,
  centre,
  fitting,
  isContainer,
  isUnambiguousKind,
} from './view.js';
import { distance } from './places.js';

export interface QuestionAnswer {
  readonly instruction: Phrase;
  readonly text: Phrase;
  /** Place of the text on the screen; absent for what is not written there. */
  readonly box?: Box;
  /** Identifies the question across wordings. */
  readonly gist?: string;
}

const same = (text: string): Phrase => ({ en: text, zh: text });

const written = ({ label, box }: Element) => ({ text: same(label), box });

function pointIn(view: View, { box }: Element): string {
  const { x, y } = centre(box);
  return `<point>${Math.round((x / view.size.width) * 1000)} ${Math.round((y / view.size.height) * 1000)}</point>`;
}

export function read(view: View): QuestionAnswer | undefined {
  const share = view.random.next();
  if (share < 0.4) return readAt(view);
  if (share < 0.55) return readIn(view);
  if (share < 0.7) return readCell(view) ?? readBeside(view);
  if (share < 0.85) return readBeside(view);
  return count(view);
}

function readAt(view: View): QuestionAnswer | undefined {
  const element = view.random.pick(view.elements);
  if (element.label === '' || isContainer(element) || element.kind === 'tile' || element.label.length > 40)
    return undefined;
  const point = pointIn(view, element);
  return {
    instruction: view.random.pick([
      { en: `read the text at ${point}`, zh: `读出${point}处的文字` },
      { en: `what is written at ${point}?`, zh: `${point}处写着什么?` },
    ]),
    ...written(element),
    gist: `read ${point}`,
  };
}

function readIn(view: View): QuestionAnswer | undefined {
  const holders = view.elements.filter(({ kind }) => ['field', 'area', 'select', 'stepper', 'progress'].includes(kind));
  if (holders.length === 0) return undefined;
  const element = view.random.pick(holders);
  const { kind, name, label } = element;
  if (kind === 'progress' || label === '' || label.length > 40) return undefined;
  const noun = nouns[kind];
  if (name !== undefined && isUnique(view, element, (other) => hasText(other, name)))
    return {
      instruction: { en: `what is in the ${noun.en} "${name}"?`, zh: `${noun.zh}"${name}"里写着什么?` },
      ...written(element),
    };
  if (name === undefined && isUnambiguousKind(view, kind) && isUnique(view, element, (other) => other.kind === kind))
    return { instruction: { en: `what is in the ${noun.en}?`, zh: `${noun.zh}里写着什么?` }, ...written(element) };
  return undefined;
}

function readCell(view: View): QuestionAnswer | undefined {
  const cells = view.elements.filter(({ kind, row, name, label }) => kind === 'cell' && name && row !== label);
  if (cells.length === 0) return undefined;
  const element = view.random.pick(cells);
  const { row = '', name = '' } = element;
  if (fitting(view, (other) => other.kind === 'cell' && other.row === row && other.name === name).length !== 1)
    return undefined;
  if (fitting(view, (other) => other.kind === 'row' && other.label === row).length !== 1) return undefined;
  return {
    instruction: { en: `what is the "${name}" of "${row}"?`, zh: `"${row}"的"${name}"是什么?` },
    ...written(element),
  };
}

function readBeside(view: View): QuestionAnswer | undefined {
  const from = view.random.pick(view.elements);
  if (isContainer(from) || from.name !== undefined) return undefined;
  const reference = referByText(view, from);
  if (!reference) return undefined;
  const under = view.random.chance(0.6);
  const direction = under ? 'under' : 'right of';
  const candidates = allElements(view)
    .filter((other) => other !== from && !isContainer(other))
    .map((neighbour) => ({ neighbour, gap: distance(from.box, neighbour.box, direction) }))
    .filter((near): near is { neighbour: Element; gap: number } => near.gap !== undefined)
    .sort((a, b) => a.gap - b.gap);
  const [next, second] = candidates;
  if (!next || view.hidden.includes(next.neighbour) || next.neighbour.label === '' || next.neighbour.label.length > 40)
    return undefined;
  const { box } = next.neighbour;
  const extent = under ? box.height : box.width;
  if (
    next.gap > (under ? view.size.height / 4 : view.size.width / 3) ||
    (second && second.gap < next.gap + extent * 0.6)
  )
    return undefined;
  return {
    instruction: under
      ? { en: `what is written under ${reference.phrase.en}?`, zh: `${reference.phrase.zh}下面写着什么?` }
      : { en: `what is written right of ${reference.phrase.en}?`, zh: `${reference.phrase.zh}右边写着什么?` },
    ...written(next.neighbour),
  };
}

const countable: readonly ElementKind[] = [
  'button',
  'checkbox',
  'radio',
  'switch',
  'tab',
  'row',
  'item',
  'entry',
  'shape',
  'field',
  'bar',
  'bubble',
  'slider',
  'icon',
];

function count(view: View): QuestionAnswer | undefined {
  const present = countable.filter((kind) => view.elements.some((element) => element.kind === kind));
  if (present.length === 0) return undefined;
  const kind = view.random.pick(present);
  if (!isUnambiguousKind(view, kind)) return undefined;
  const checkable = (kind === 'checkbox' || kind === 'switch') && view.random.chance(0.5);
  const fits = (element: Element) => element.kind === kind && (!checkable || element.checked === true);
  const matches = fitting(view, fits).length;
  if (
    view.hidden.some((element) => element.kind === kind) ||
    matches > 9 ||
    (matches < 2 && !checkable && view.random.chance(0.7))
  )
    return undefined;
  const { en, zh } = nouns[kind];
  const state = !checkable
    ? same('')
    : kind === 'checkbox'
      ? { en: ' are checked', zh: '已勾选的' }
      : { en: ' are on', zh: '开启的' };
  const plural = kind === 'switch' ? 'switches' : kind === 'checkbox' ? 'checkboxes' : `${en}s`;
  return {
    instruction: { en: `how many ${plural}${state.en || ' are there'}?`, zh: `有几个${state.zh}${zh}?` },
    text: same(String(matches)),
  };
}

export function state(view: View): QuestionAnswer | undefined {
  const { random } = view;
  const able = view.elements.filter(
    ({ kind, current }) => ['checkbox', 'radio', 'switch', 'button', 'field'].includes(kind) || current !== undefined,
  );
  if (able.length === 0) return undefined;
  const element = random.pick(able);
  const { kind, checked, current, disabled, label } = element;
  const name = label && kind !== 'field' ? label : (element.name ?? element.row);
  if (!name || name.includes('"')) return undefined;
  const noun = nouns[kind];
  if (
    !isUnique(
      view,
      element,
      (other) => other.kind === kind && (other.label === name || other.name === name || other.row === name),
    )
  )
    return undefined;
  const ask = (en: string, zh: string, yes: boolean | undefined, bare = false): QuestionAnswer => ({
    instruction: bare
      ? { en: `is "${name}" ${en}?`, zh: `"${name}"是否${zh}?` }
      : { en: `is the ${noun.en} "${name}" ${en}?`, zh: `${noun.zh}"${name}"是否${zh}?` },
    text: yes ? { en: 'yes', zh: '是' } : { en: 'no', zh: '否' },
  });
  const bare = random.chance(0.5) && isUnique(view, element, (other) => hasText(other, name));
  if (random.chance(disabled ? 0.5 : 0.08) && (kind === 'button' || kind === 'field'))
    return ask('disabled', '禁用', disabled, bare);
  switch (kind) {
    case 'checkbox':
      return ask('checked', '已勾选', checked, bare);
    case 'radio':
      return ask('chosen', '选中', checked, bare);
    case 'switch':
      return ask('on', '开启', checked, bare);
    case 'field':
      return random.chance(0.5) ? ask('focused', '有焦点', element.focused) : ask('empty', '空的', label === '');
    default:
      // Balanced, though only one item of a strip is selected.
      return current === undefined || (!current && random.chance(0.6))
        ? undefined
        : ask('selected', '选中', current, bare);
  }
}

export function describeAt(view: View): QuestionAnswer | undefined {
  const element = view.random.pick(view.elements);
  if (isContainer(element) || element.label.length > 30) return undefined;
  const point = pointIn(view, element);
  return {
    instruction: view.random.pick([
      { en: `describe the thing at ${point}`, zh: `描述${point}处的东西` },
      { en: `what is at ${point}?`, zh: `${point}处是什么?` },
    ]),
    text: describe(element),
  };
}

const main: ReadonlySet<ElementKind> = new Set<ElementKind>([
  'title',
  'button',
  'checkbox',
  'radio',
  'switch',
  'field',
  'area',
  'select',
  'slider',
  'stepper',
  'tab',
  'shape',
  'icon',
  'link',
  'item',
  'entry',
  'chip',
  'tile',
  'dialog',
]);

export function describeScreen(view: View): QuestionAnswer | undefined {
  const inDialog = view.elements.find(({ kind }) => kind === 'dialog');
  const within = (element: Element) => {
    if (!inDialog) return true;
    const { x, y } = centre(element.box);
    const { box } = inDialog;
    return x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height && element !== inDialog;
  };
  const ordered = readingOrder(view.elements.filter((element) => main.has(element.kind) && within(element)));
  const described = (inDialog ? [inDialog, ...ordered] : ordered).slice(0, 4);
  if (described.length < 2 || described.some(({ label }) => label.length > 24)) return undefined;
  const texts = described.map(describe);
  return {
    instruction: view.random.pick([
      { en: 'describe the screen', zh: '描述屏幕' },
      { en: 'what is on the screen?', zh: '屏幕上有什么?' },
    ]),
    text: { en: texts.map(({ en }) => en).join('; '), zh: texts.map(({ zh }) => zh).join('; ') },
  };
}

/** Sorts top to bottom, then left to right. A line's centres differ by at most half of the smaller height. */
function readingOrder(elements: readonly Element[]): Element[] {
  const lines: Element[][] = [];
  for (const element of [...elements].sort((a, b) => centre(a.box).y - centre(b.box).y)) {
    const line = lines.at(-1);
    const first = line?.[0];
    const onLine =
      first && centre(element.box).y - centre(first.box).y < Math.min(first.box.height, element.box.height) / 2;
    if (line && onLine) line.push(element);
    else lines.push([element]);
  }
  return lines.flatMap((line) => line.sort((a, b) => a.box.x - b.box.x));
}
