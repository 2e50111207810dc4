import type { Element, ElementKind } from '../../family/screen/element.js';
import { colourWords, describe, iconPhrase, nounOf, nouns, shapeWords, type Phrase } from '../words/phrase.js';
import { type View, allElements, isUnique, hasText, referByText, fitting, isUnambiguousKind } from './view.js';
import { type Target, target } from './target.js';

const acted: ReadonlySet<ElementKind> = new Set([
  'button',
  'tab',
  'checkbox',
  'radio',
  'link',
  'item',
  'entry',
  'chip',
  'bubble',
]);

export function byLabel(view: View): Target | undefined {
  const { random, elements } = view;
  const element = random.pick(elements);
  const { kind, label, name } = element;
  const noun = nouns[kind];
  const named = name !== undefined && !name.includes('"') && kind !== 'cell' && kind !== 'text';
  if (named && (label === '' || random.chance(0.5))) {
    if (!isUnique(view, element, (other) => hasText(other, name) && nouns[other.kind].en === noun.en)) return undefined;
    return target({ en: `the ${noun.en} "${name}"`, zh: `${noun.zh}"${name}"` }, [element]);
  }
  if (label === '' || label.includes('"') || kind === 'tile' || kind === 'row' || kind === 'dialog') return undefined;
  const share = random.next();
  if (share < 0.4) {
    const reference = referByText(view, element);
    return reference && target(reference.phrase, [element]);
  }
  const letters = [...label];
  if (share > 0.8 && acted.has(kind) && letters.length > 3) {
    const part = letters.slice(0, random.between(1, Math.min(4, letters.length - 2))).join('');
    const end = letters.slice(-random.between(1, Math.min(4, letters.length - 2))).join('');
    const begins = random.chance(0.6);
    const piece = (begins ? part : end).trim();
    if (piece === '') return undefined;
    const fits = (candidate: Element) =>
      candidate.kind === kind &&
      (begins
        ? candidate.label.toLowerCase().startsWith(piece.toLowerCase())
        : candidate.label.toLowerCase().endsWith(piece.toLowerCase()));
    if (!isUnique(view, element, fits) || !isUnambiguousKind(view, kind)) return undefined;
    return target(
      begins
        ? { en: `the ${noun.en} that starts with "${piece}"`, zh: `以"${piece}"开头的${noun.zh}` }
        : { en: `the ${noun.en} that ends with "${piece}"`, zh: `以"${piece}"结尾的${noun.zh}` },
      [element],
      describe(element),
    );
  }
  const same = fitting(view, (other) => nouns[other.kind].en === noun.en && other.label === label);
  if (same.length === 1) return target({ en: `the ${noun.en} "${label}"`, zh: `${noun.zh}"${label}"` }, same);
  if (same.length < 2 || same.length > 6) return undefined;
  return target({ en: `any ${noun.en} "${label}"`, zh: `任意一个${noun.zh}"${label}"` }, same);
}

export function byColour(view: View): Target | undefined {
  const element = view.random.pick(view.elements);
  const { colour, kind } = element;
  if (!colour) return undefined;
  const alike = kind === 'shape' || kind === 'icon';
  const noun = nouns[kind];
  const same = fitting(view, (other) => other.colour === colour && other.kind === kind);
  const near: readonly ElementKind[] = alike ? ['shape', 'icon'] : ['button', 'chip', 'badge'];
  const mistaken = allElements(view).some(
    (other) => other.colour === colour && other.kind !== kind && near.includes(other.kind) && near.includes(kind),
  );
  if (mistaken || same.length === 0) return undefined;
  const zh = `${colourWords[colour]}${noun.zh}`;
  if (same.length === 1) return target({ en: `the ${colour} ${noun.en}`, zh }, same, describe(element));
  return same.length < 5 ? target({ en: `any ${colour} ${noun.en}`, zh: `任意一个${zh}` }, same) : undefined;
}

export function byShape(view: View): Target | undefined {
  const { random } = view;
  const shaped = view.elements.filter(({ shape }) => shape);
  if (shaped.length === 0) return undefined;
  const element = random.pick(shaped);
  const { shape, colour } = element;
  if (!shape) return undefined;
  // A heart icon counts as a heart too.
  const plain = (other: Element) => other.shape === shape || other.icon === shape;
  if (random.chance(0.5) && isUnique(view, element, plain))
    return target({ en: `the ${shape}`, zh: shapeWords[shape] }, [element]);
  if (!colour || !isUnique(view, element, (other) => plain(other) && (other.colour === colour || !other.colour)))
    return undefined;
  return target({ en: `the ${colour} ${shape}`, zh: `${colourWords[colour]}${shapeWords[shape]}` }, [element]);
}

export function byIcon(view: View): Target | undefined {
  const { random } = view;
  const drawn = view.elements.filter(({ icon }) => icon);
  if (drawn.length === 0) return undefined;
  const element = random.pick(drawn);
  const { icon } = element;
  if (!icon || mistakenIcon(view, icon)) return undefined;
  const phrase = iconPhrase(icon);
  const same = fitting(view, (other) => other.icon === icon || other.shape === icon);
  if (same.length === 1) {
    const noun = nouns[element.kind];
    if (element.kind !== 'icon' && random.chance(0.5)) {
      return target(
        { en: `the ${noun.en} with the ${phrase.en}`, zh: `有${phrase.zh}的${noun.zh}` },
        same,
        describe(element),
      );
    }
    return target({ en: `the ${phrase.en}`, zh: phrase.zh }, same);
  }
  if (same.length < 2 || same.length > 8) return undefined;
  return target({ en: `any ${phrase.en}`, zh: `任意一个${phrase.zh}` }, same);
}

/** Detects parts of controls that look like the icon. */
function mistakenIcon(view: View, icon: string): boolean {
  return allElements(view).some(
    ({ kind, checked }) =>
      (icon === 'check' && kind === 'checkbox' && checked) ||
      (icon === 'close' && kind === 'checkbox' && checked) ||
      (icon === 'down' && kind === 'select') ||
      (icon === 'right' && kind === 'crumb'),
  );
}

export function byRole(view: View): Target | undefined {
  const { random } = view;
  const element = random.pick(view.elements);
  const { kind } = element;
  if (kind === 'tile') {
    const same = fitting(view, (other) => other.kind === 'tile' && other.label === element.label);
    return target({ en: `the ${element.label}`, zh: nounOf(element).zh }, same);
  }
  if (kind === 'cell' || kind === 'text' || kind === 'icon') return undefined;
  const noun = nouns[kind];
  const state = random.pick(statesOf(element));
  const fits = (other: Element) => nouns[other.kind].en === noun.en && (!state || state.fits(other));
  if (!isUnique(view, element, fits) || (!state && !isUnambiguousKind(view, kind))) return undefined;
  if (!state) return target({ en: `the ${noun.en}`, zh: noun.zh }, [element]);
  const phrase = state.after
    ? { en: `the ${noun.en} that is ${state.phrase.en}`, zh: `${state.phrase.zh}${noun.zh}` }
    : { en: `the ${state.phrase.en} ${noun.en}`, zh: `${state.phrase.zh}${noun.zh}` };
  return target(phrase, [element], describe(element));
}

interface State {
  readonly phrase: Phrase;
  readonly after?: boolean;
  fits(element: Element): boolean;
}

const states = {
  checked: { phrase: { en: 'checked', zh: '已勾选的' }, fits: ({ checked }) => checked === true },
  unchecked: { phrase: { en: 'unchecked', zh: '未勾选的' }, fits: ({ checked }) => checked === false },
  chosen: { phrase: { en: 'chosen', zh: '选中的' }, fits: ({ checked }) => checked === true },
  on: { phrase: { en: 'on', zh: '开启的' }, after: true, fits: ({ checked }) => checked === true },
  off: { phrase: { en: 'off', zh: '关闭的' }, after: true, fits: ({ checked }) => checked === false },
  selected: { phrase: { en: 'selected', zh: '选中的' }, fits: ({ current }) => current === true },
  focused: { phrase: { en: 'focused', zh: '有焦点的' }, fits: ({ focused }) => focused === true },
  empty: { phrase: { en: 'empty', zh: '空的' }, fits: ({ label }) => label === '' },
  disabled: { phrase: { en: 'disabled', zh: '禁用的' }, fits: ({ disabled }) => disabled === true },
} satisfies Record<string, State>;

/** Returns undefined for the kind alone. */
function statesOf(element: Element): (State | undefined)[] {
  const { kind, checked, current, focused, label, disabled } = element;
  const applicable: (State | undefined)[] = [undefined];
  if (kind === 'checkbox') applicable.push(checked ? states.checked : states.unchecked);
  if (kind === 'radio' && checked) applicable.push(states.chosen);
  if (kind === 'switch') applicable.push(checked ? states.on : states.off);
  if (current) applicable.push(states.selected, states.selected);
  if (focused) applicable.push(states.focused, states.focused);
  if ((kind === 'field' || kind === 'area') && label === '') applicable.push(states.empty);
  if (disabled) applicable.push(states.disabled, states.disabled);
  return applicable;
}
