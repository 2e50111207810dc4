import { GyreError, type PixelBox, type Point, pointsOf } from '@gyre/protocol';
import { middleOf, offsets as offsetCount, placeOf } from '../nano/grid.js';
import type { NativeAction } from '../nano/grammar.js';
import type { NativeSequence } from '../nano/nativeEngine.js';
import { combinationOf } from '../nano/keys.js';
import { textSize } from '../nano/vocabulary.js';
import { copyCount, firstScreenCopy, type Scene } from './sceneTokens.js';
import { canonical } from './strings.js';

export interface AcceptedTurnOptions {
  /** The element at each point of the action, in px. */
  readonly targets?: readonly (PixelBox | null)[] | undefined;
  /** Other elements that the first point may hit as well. */
  readonly alternatives?: readonly PixelBox[] | undefined;
  /** Place of the action's text, in px; null for a text that stands nowhere and is spelt. Default: anywhere. */
  readonly source?: PixelBox | null | undefined;
  readonly thought?: string | undefined;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** A click anywhere within the element does the same; its border may not. */
const margin = 1.5;
/** How far from its middle an element may be hit to be aimed at, in px. */
const aimed = 2;
/** Half the side of what counts as hit where no element is known, in px. */
const reach = 3;
/** A spelt text must not outweigh a whole batch of clicks. */
const maxWeight = 3;
/** Share of the turns that name a cell and its subdivision although a token would do. */
const spelledOut = 0.1;

/**
 * Encodes a turn for imitation. Every token, cell and subdivision within the element that a point hits is as good as
 * any other, and so is every source of a text that can be copied. Throws 'bad_input' for what the policy cannot say,
 * such as a text that nothing at its source reads.
 */
export function acceptedTurn(
  scene: Scene,
  action: NativeAction,
  { targets = [], alternatives = [], source, thought, random }: AcceptedTurnOptions,
): Required<Pick<NativeSequence, 'action' | 'equals' | 'weights'>> {
  const { vocabulary } = scene;
  const text = textOf(action);
  const sources = sourcesOf(scene, action, source);
  if (source && sources.length === 0) {
    throw new GyreError('bad_input', `nothing that reads "${text}" stands there`, { field: 'source' });
  }
  const plain = vocabulary.encode(sources.length > 0 ? withoutText(action) : action, thought);
  const tokens: number[] = [];
  const equals: (readonly number[] | undefined)[] = [];
  const push = (token: number, good?: readonly number[]): void => {
    tokens.push(token);
    equals.push(good && good.length > 1 ? good : undefined);
  };
  const points = [...pointsOf(action).entries()];
  for (let position = 0; position < plain.length; position++) {
    const token = plain[position]!;
    const tokenClass = vocabulary.next(tokens);
    if (tokenClass === 'textStart' || tokenClass === 'proseStart' || tokenClass === 'keysStart') {
      if (sources.length === 0) push(token);
      else {
        push(sources[0]!, sources);
        if (tokenClass === 'textStart') push(text?.endsWith('\n') ? vocabulary.newline : vocabulary.end);
        break;
      }
    } else if ((tokenClass === 'point' || tokenClass === 'optionalPoint') && token >= textSize) {
      const [index, point] = points.shift() ?? [0, { x: 0.5, y: 0.5 }];
      const others = index === 0 ? alternatives : [];
      const place = acceptedPlace(scene, point, acceptedElement(scene, action, point, targets[index]), others);
      const target = place.targets[0];
      if (target !== undefined && random() >= spelledOut) push(target, place.accepted);
      else {
        push(place.cell, place.accepted);
        push(place.offsets[Math.floor(random() * place.offsets.length)] ?? plain[position + 1]!, place.offsets);
      }
      position++;
    } else push(token);
  }
  const weight = Math.min(1, maxWeight / tokens.length);
  return { action: tokens, equals, weights: tokens.map(() => weight) };
}

/**
 * Returns the box within which any place does the same: of the element if its middle was aimed at, or if it is scrolled
 * or asked for its menu; of the word that a double click selects. Elsewhere the place itself matters: a value on a
 * slider, the edge of a word.
 */
function acceptedElement(
  { size, screen }: Scene,
  { type }: NativeAction,
  { x, y }: Point,
  element: PixelBox | null | undefined,
): PixelBox | undefined {
  if (type === 'double_click') {
    const words = screen.flatMap(({ text, box }) => (box && /^\S+$/u.test(text) ? [box] : []));
    const word = words.find((box) => isWithin(box, x * size.width, y * size.height));
    if (word) return word;
  }
  if (!element) return undefined;
  const across = Math.abs(x * size.width - element.x - element.width / 2);
  const down = Math.abs(y * size.height - element.y - element.height / 2);
  const isWhole = type === 'scroll' || type === 'right_click';
  return isWhole || Math.max(across, down) <= aimed ? element : undefined;
}

interface AcceptedPlace {
  /** Nearest first. */
  readonly targets: readonly number[];
  readonly cell: number;
  readonly accepted: readonly number[];
  /** Subdivisions of the cell. */
  readonly offsets: readonly number[];
}

function acceptedPlace(
  { size, screen, vocabulary }: Scene,
  point: Point,
  element: PixelBox | undefined,
  others: readonly PixelBox[],
): AcceptedPlace {
  const [x, y] = [point.x * size.width, point.y * size.height];
  const around = { x: x - reach, y: y - reach, width: 2 * reach, height: 2 * reach };
  const boxes = [element ? shrunk(element) : around, ...others.map(shrunk)];
  const holds = (px: number, py: number): boolean => boxes.some((box) => isWithin(box, px, py));
  const areas = [element, ...others].map((box) => (box ? box.width * box.height : Infinity));
  const within = screen.flatMap(({ box, kind }, i) => {
    if (!box) return [];
    const [cx, cy] = [box.x + box.width / 2, box.y + box.height / 2];
    const hit = boxes.findIndex((accepting) => isWithin(accepting, cx, cy));
    // A region much larger than the element is something else with the same middle.
    if (hit < 0 || (kind === 'region' && box.width * box.height > 2 * (areas[hit] ?? 0))) return [];
    return [{ token: vocabulary.target(i), distance: Math.hypot(cx - x, cy - y) }];
  });
  const targets = within.sort((a, b) => a.distance - b.distance).map(({ token }) => token);
  const { grid } = vocabulary;
  const place = placeOf(grid, point);
  const cells = Array.from({ length: grid.cells }, (_, cell) => cell).filter((cell) =>
    holds((0.5 + (cell % grid.columns)) * grid.cell.width, (0.5 + Math.floor(cell / grid.columns)) * grid.cell.height),
  );
  const cell = vocabulary.cell(place.cell);
  const offsets = Array.from({ length: offsetCount }, (_, offset) => offset).filter((offset) => {
    const middle = middleOf(grid, { cell: place.cell, offset });
    return holds(middle.x, middle.y);
  });
  return {
    ...{ targets, cell },
    accepted: [...new Set([...targets, ...cells.map((number) => vocabulary.cell(number)), cell])],
    offsets: (offsets.length > 0 ? offsets : [place.offset]).map((offset) => vocabulary.offset(offset)),
  };
}

function isWithin({ x, y, width, height }: PixelBox, px: number, py: number): boolean {
  return px >= x && px <= x + width && py >= y && py <= y + height;
}

function shrunk({ x, y, width, height }: PixelBox): PixelBox {
  const [across, down] = [Math.min(margin, width / 4), Math.min(margin, height / 4)];
  return { x: x + across, y: y + down, width: width - 2 * across, height: height - 2 * down };
}

/** Returns the copies that say all of an action's text, or all of its keys. */
function sourcesOf(scene: Scene, action: NativeAction, source: PixelBox | null | undefined): number[] {
  if (action.type === 'hotkey') return combinationsOf(scene, action.keys);
  const text = textOf(action);
  // An empty text and a single line break are spelt.
  const copied = text?.replace(/\n$/, '') ?? '';
  return copied === '' || source === null ? [] : copiesOf(scene, copied, source);
}

function combinationsOf({ vocabulary }: Scene, keys: string): number[] {
  return vocabulary.copies.flatMap((copied, number) =>
    copied !== undefined && combinationOf(copied)?.join(' ') === keys ? [vocabulary.copy(number)] : [],
  );
}

/** Returns exact copies, or else those at the source that a misread letter sets apart. */
function copiesOf({ vocabulary, screen }: Scene, text: string, source: PixelBox | undefined): number[] {
  const numbers = Array.from({ length: copyCount }, (_, number) => number);
  const copied = vocabulary.copies;
  const key = canonical(text);
  const isAtSource = (number: number): boolean => {
    const box = screen[number - firstScreenCopy]?.box;
    return !source || (box !== undefined && isWithin(source, box.x + box.width / 2, box.y + box.height / 2));
  };
  const exact = numbers.filter((number) => copied[number] === text);
  const similar = numbers.filter((number) => canonical(copied[number] ?? '') === key && isAtSource(number));
  const sources = exact.length > 0 ? exact : similar;
  return sources.map((number) => vocabulary.copy(number));
}

function textOf(action: NativeAction): string | undefined {
  if (action.type === 'type') return action.text;
  return action.type === 'finished' ? action.answer : undefined;
}

function withoutText(action: NativeAction): NativeAction {
  if (action.type === 'type') return { ...action, text: '' };
  return action.type === 'finished' ? { type: 'finished' } : action;
}
