import type { Box } from '../../family/box.js';
import type { Element, ElementKind } from '../../family/screen/element.js';
import { describe, nounOf, nouns, type Phrase } from '../words/phrase.js';
import { type View, allElements, isUnique, referByText, centre, isContainer, isUnambiguousKind } from './view.js';
import { type Target, target } from './target.js';

const ordinals: readonly Phrase[] = [
  { en: 'first', zh: '第一' },
  { en: 'second', zh: '第二' },
  { en: 'third', zh: '第三' },
  { en: 'fourth', zh: '第四' },
  { en: 'fifth', zh: '第五' },
];

const counted: Readonly<Partial<Record<ElementKind, { readonly classifier: string; readonly container: Phrase }>>> = {
  item: { classifier: '项', container: { en: ' of the list', zh: '列表的' } },
  entry: { classifier: '项', container: { en: '', zh: '菜单的' } },
  row: { classifier: '行', container: { en: ' of the table', zh: '表格的' } },
  tab: { classifier: '个标签', container: { en: '', zh: '' } },
  button: { classifier: '个按钮', container: { en: '', zh: '' } },
  icon: { classifier: '个图标', container: { en: '', zh: '' } },
  checkbox: { classifier: '个复选框', container: { en: '', zh: '' } },
  radio: { classifier: '个选项', container: { en: '', zh: '' } },
  bubble: { classifier: '条消息', container: { en: '', zh: '' } },
  bar: { classifier: '个柱形', container: { en: '', zh: '' } },
  chip: { classifier: '个标记', container: { en: '', zh: '' } },
  crumb: { classifier: '个链接', container: { en: '', zh: '' } },
};

export function byPosition(view: View): Target | undefined {
  return view.random.chance(0.6) ? byOrder(view) : byEdge(view);
}

function byOrder(view: View): Target | undefined {
  const element = view.random.pick(view.elements);
  const { kind, group, place } = element;
  const words = counted[kind];
  if (!words || group === undefined || place === undefined) return undefined;
  const everyone = allElements(view).filter((other) => other.kind === kind);
  // Ordinals need every element of the kind in one group, all visible.
  if (everyone.some((other) => other.group !== group) || !isUnambiguousKind(view, kind)) return undefined;
  if (everyone.some((other) => view.hidden.includes(other)) || everyone.length < 2) return undefined;
  if (everyone.some((other) => (other.place ?? 0) >= everyone.length)) return undefined;
  const { en } = nouns[kind];
  const last = place === everyone.length - 1;
  if (last && (place >= ordinals.length || view.random.chance(0.6)))
    return target(
      { en: `the last ${en}${words.container.en}`, zh: `${words.container.zh}最后一${words.classifier}` },
      [element],
      describe(element),
    );
  const ordinal = ordinals[place];
  if (!ordinal) return undefined;
  return target(
    { en: `the ${ordinal.en} ${en}${words.container.en}`, zh: `${words.container.zh}${ordinal.zh}${words.classifier}` },
    [element],
    describe(element),
  );
}

function byEdge(view: View): Target | undefined {
  const { random } = view;
  const element = random.pick(view.elements);
  const { kind } = element;
  if (
    isContainer(element) ||
    kind === 'cell' ||
    kind === 'text' ||
    kind === 'day' ||
    kind === 'tile' ||
    !isUnambiguousKind(view, kind)
  )
    return undefined;
  const others = allElements(view).filter((other) => other.kind === kind && other !== element);
  if (others.every((other) => view.hidden.includes(other))) return undefined;
  const middle = centre(element.box);
  const clear = 8;
  const further = {
    top: others.every(({ box }) => centre(box).y > middle.y + clear),
    bottom: others.every(({ box }) => centre(box).y < middle.y - clear),
    left: others.every(({ box }) => centre(box).x > middle.x + clear),
    right: others.every(({ box }) => centre(box).x < middle.x - clear),
  };
  // No other is further towards either edge, and each is clearly apart in one direction.
  const corner = (sx: 1 | -1, sy: 1 | -1) =>
    others.every(({ box }) => {
      const [dx, dy] = [(centre(box).x - middle.x) * sx, (centre(box).y - middle.y) * sy];
      return dx > -3 && dy > -3 && Math.max(dx, dy) > clear;
    });
  const { width, height } = view.size;
  const noun = nouns[kind];
  const phrases: Phrase[] = [];
  if (further.top) phrases.push({ en: `the top ${noun.en}`, zh: `最上面的${noun.zh}` });
  if (further.bottom) phrases.push({ en: `the bottom ${noun.en}`, zh: `最下面的${noun.zh}` });
  if (further.left) phrases.push({ en: `the leftmost ${noun.en}`, zh: `最左边的${noun.zh}` });
  if (further.right) phrases.push({ en: `the rightmost ${noun.en}`, zh: `最右边的${noun.zh}` });
  const corners = [
    [1, 1, 'top left', '左上角'],
    [-1, 1, 'top right', '右上角'],
    [1, -1, 'bottom left', '左下角'],
    [-1, -1, 'bottom right', '右下角'],
  ] as const;
  for (const [sx, sy, en, zh] of corners) {
    const inHalf =
      (sx > 0 ? middle.x < width / 2 : middle.x > width / 2) &&
      (sy > 0 ? middle.y < height / 2 : middle.y > height / 2);
    if (inHalf && corner(sx, sy)) phrases.push({ en: `the ${en} ${noun.en}`, zh: `${zh}的${noun.zh}` });
  }
  if (phrases.length === 0) return undefined;
  return target(random.pick(phrases), [element], describe(element));
}

type Direction = 'under' | 'above' | 'left of' | 'right of';
const directions: Readonly<Record<Direction, string>> = {
  under: '下面',
  above: '上面',
  'left of': '左边',
  'right of': '右边',
};

export function byRelation(view: View): Target | undefined {
  const share = view.random.next();
  if (share < 0.3) return byRow(view);
  if (share < 0.45) return byNeighbours(view);
  return beside(view);
}

/** Returns undefined if the element is not in that direction. */
export function distance(from: Box, to: Box, direction: Direction): number | undefined {
  const along = (a: number, b: number, c: number, d: number) => Math.min(b, d) - Math.max(a, c);
  const vertical = direction === 'under' || direction === 'above';
  const shared = vertical
    ? along(from.x, from.x + from.width, to.x, to.x + to.width) / Math.min(from.width, to.width)
    : along(from.y, from.y + from.height, to.y, to.y + to.height) / Math.min(from.height, to.height);
  if (shared < 0.5) return undefined;
  const gap = {
    under: to.y - (from.y + from.height),
    above: from.y - (to.y + to.height),
    'left of': from.x - (to.x + to.width),
    'right of': to.x - (from.x + from.width),
  }[direction];
  return gap >= -2 ? gap : undefined;
}

function beside(view: View): Target | undefined {
  const { random } = view;
  const from = random.pick(view.elements);
  if (isContainer(from)) return undefined;
  const reference = referByText(view, from);
  if (!reference || from.name !== undefined) return undefined;
  const direction = random.pick(Object.keys(directions) as Direction[]);
  const candidates = allElements(view)
    .filter((other) => other !== from && !isContainer(other) && !contains(other.box, from.box))
    .map((neighbour) => ({ neighbour, gap: distance(from.box, neighbour.box, direction) }))
    .filter((near): near is { neighbour: Element; gap: number } => near.gap !== undefined)
    .sort((a, b) => a.gap - b.gap);
  const [next, second] = candidates;
  const reach = direction === 'under' || direction === 'above' ? view.size.height / 3 : view.size.width / 2;
  if (!next || view.hidden.includes(next.neighbour) || next.gap > reach) return undefined;
  // The runner-up must be clearly further away.
  const extent = direction === 'under' || direction === 'above' ? next.neighbour.box.height : next.neighbour.box.width;
  if (second && second.gap < next.gap + extent * 0.6) return undefined;
  const noun = nounOf(next.neighbour);
  if (next.neighbour.kind === 'tile') return undefined;
  return target(
    {
      en: `the ${noun.en} ${direction} ${reference.phrase.en}`,
      zh: `${reference.phrase.zh}${directions[direction]}的${noun.zh}`,
    },
    [next.neighbour],
    describe(next.neighbour),
  );
}

const contains = (outer: Box, inner: Box): boolean =>
  outer.x <= inner.x + 1 &&
  outer.y <= inner.y + 1 &&
  outer.x + outer.width >= inner.x + inner.width - 1 &&
  outer.y + outer.height >= inner.y + inner.height - 1;

function byRow(view: View): Target | undefined {
  const rowed = view.elements.filter(({ row, kind }) => row !== undefined && kind !== 'cell');
  if (rowed.length === 0) return undefined;
  const element = view.random.pick(rowed);
  const { row = '', kind } = element;
  const head = view.elements.filter(
    ({ label, name, kind: other }) =>
      (label === row && other !== 'row') || (name === row && other !== 'text' && other !== 'cell'),
  );
  if (head.length !== 1 && !view.elements.some((other) => other.kind === 'stepper' && other.name === row))
    return undefined;
  const noun = nounOf(element);
  const same = (other: Element) =>
    other.row === row && (kind === 'icon' ? other.icon === element.icon : other.kind === kind);
  if (!isUnique(view, element, same) || row.includes('"')) return undefined;
  const phrase: Phrase = view.random.chance(0.5)
    ? { en: `the ${noun.en} in the row "${row}"`, zh: `"${row}"那一行的${noun.zh}` }
    : { en: `the ${noun.en} in the same row as "${row}"`, zh: `和"${row}"同一行的${noun.zh}` };
  return target(phrase, [element], describe(element));
}

function byNeighbours(view: View): Target | undefined {
  const element = view.random.pick(view.elements);
  const { group, place, kind } = element;
  if (group === undefined || place === undefined || kind === 'row') return undefined;
  const memberAt = (n: number) =>
    view.elements.find((other) => other.group === group && other.place === n && other.kind === kind);
  const [before, after] = [memberAt(place - 1), memberAt(place + 1)];
  const [a, b] = [before && referByText(view, before), after && referByText(view, after)];
  if (!before || !after || !a || !b) return undefined;
  const [p, q, r] = [centre(before.box), centre(element.box), centre(after.box)];
  const inRow = Math.abs(p.y - q.y) < 4 && Math.abs(r.y - q.y) < 4;
  const inColumn = Math.abs(before.box.x - element.box.x) < 4 && Math.abs(after.box.x - element.box.x) < 4;
  if (!inRow && !inColumn) return undefined;
  const noun = nounOf(element);
  return target(
    {
      en: `the ${noun.en} between ${a.phrase.en} and ${b.phrase.en}`,
      zh: `${a.phrase.zh}和${b.phrase.zh}之间的${noun.zh}`,
    },
    [element],
    describe(element),
  );
}
