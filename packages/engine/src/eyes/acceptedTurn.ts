import { type PixelBox, type Point, pointsOf } from '@gyre/protocol';
import { middleOf, offsets as offsetCount, placeOf } from '../nano/grid.js';
import type { NativeAction } from '../nano/grammar.js';
import type { NativeSequence } from '../nano/nativeEngine.js';
import { textSize } from '../nano/vocabulary.js';
import { copyCount, type Scene } from './sceneTokens.js';
import { canonical } from './strings.js';

export interface AcceptedTurnOptions {
  /** The element at each point of the action, in px. */
  readonly targets?: readonly (PixelBox | null)[] | undefined;
  readonly thought?: string | undefined;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** A click anywhere within the element does the same; its border may not. */
const margin = 1.5;
/** Half the side of what counts as hit where no element is known, in px. */
const reach = 3;
/** Share of the turns that name a cell and its subdivision although a token would do. */
const spelledOut = 0.1;

/**
 * Encodes a turn for imitation. Every token, cell and subdivision within the element that a point hits is as good as
 * any other, and so is every source of a text that can be copied. Throws 'bad_input' for what the policy cannot say.
 */
export function acceptedTurn(
  scene: Scene,
  action: NativeAction,
  { targets = [], thought, random }: AcceptedTurnOptions,
): Required<Pick<NativeSequence, 'action' | 'equals'>> {
  const { vocabulary } = scene;
  const text = textOf(action);
  const sources = text === undefined || text === '' ? [] : copiesOf(scene, text);
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
    if (tokenClass === 'textStart' || tokenClass === 'proseStart') {
      if (sources.length === 0) push(token);
      else {
        push(sources[0]!, sources);
        break;
      }
    } else if ((tokenClass === 'point' || tokenClass === 'optionalPoint') && token >= textSize) {
      const [index, point] = points.shift() ?? [0, { x: 0.5, y: 0.5 }];
      const place = acceptedPlace(scene, point, targets[index] ?? undefined);
      const target = place.targets[0];
      if (target !== undefined && random() >= spelledOut) push(target, place.all);
      else {
        push(place.cell, place.all);
        push(place.offsets[Math.floor(random() * place.offsets.length)] ?? plain[position + 1]!, place.offsets);
      }
      position++;
    } else push(token);
  }
  return { action: tokens, equals };
}

interface AcceptedPlace {
  /** Nearest first. */
  readonly targets: readonly number[];
  readonly cell: number;
  readonly all: readonly number[];
  /** Of the cell. */
  readonly offsets: readonly number[];
}

function acceptedPlace(
  { size, screen, vocabulary }: Scene,
  point: Point,
  element: PixelBox | undefined,
): AcceptedPlace {
  const [x, y] = [point.x * size.width, point.y * size.height];
  const box = element ? shrunk(element) : { x: x - reach, y: y - reach, width: 2 * reach, height: 2 * reach };
  const holds = (px: number, py: number): boolean =>
    px >= box.x && px <= box.x + box.width && py >= box.y && py <= box.y + box.height;
  const area = element ? element.width * element.height : Infinity;
  const within = screen.flatMap(({ box: found, kind }, i) => {
    if (!found) return [];
    const [cx, cy] = [found.x + found.width / 2, found.y + found.height / 2];
    // A region much larger than the element is something else with the same middle.
    if (!holds(cx, cy) || (kind === 'region' && found.width * found.height > 2 * area)) return [];
    return [{ token: vocabulary.target(i), distance: Math.hypot(cx - x, cy - y) }];
  });
  const targets = within.sort((a, b) => a.distance - b.distance).map(({ token }) => token);
  const { grid } = vocabulary;
  const own = placeOf(grid, point);
  const cells: number[] = [];
  const first = placeOf(grid, { x: Math.max(0, box.x / size.width), y: Math.max(0, box.y / size.height) }).cell;
  const last = placeOf(grid, {
    x: Math.min(1, (box.x + box.width) / size.width),
    y: Math.min(1, (box.y + box.height) / size.height),
  }).cell;
  for (let row = Math.floor(first / grid.columns); row <= Math.floor(last / grid.columns); row++) {
    for (let column = first % grid.columns; column <= last % grid.columns; column++) {
      const [cx, cy] = [(column + 0.5) * grid.cell.width, (row + 0.5) * grid.cell.height];
      if (holds(cx, cy)) cells.push(vocabulary.cell(row * grid.columns + column));
    }
  }
  const cell = vocabulary.cell(own.cell);
  const offsets = Array.from({ length: offsetCount }, (_, offset) => offset).filter((offset) => {
    const middle = middleOf(grid, { cell: own.cell, offset });
    return holds(middle.x, middle.y);
  });
  return {
    ...{ targets, cell },
    all: [...new Set([...targets, ...cells, cell])],
    offsets: (offsets.length > 0 ? offsets : [own.offset]).map((offset) => vocabulary.offset(offset)),
  };
}

function shrunk({ x, y, width, height }: PixelBox): PixelBox {
  const [across, down] = [Math.min(margin, width / 4), Math.min(margin, height / 4)];
  return { x: x + across, y: y + down, width: width - 2 * across, height: height - 2 * down };
}

/** Exact copies, or else those that a misread letter sets apart. */
function copiesOf({ vocabulary }: Scene, text: string): number[] {
  const numbers = Array.from({ length: copyCount }, (_, number) => number);
  const copied = vocabulary.copies;
  const key = canonical(text);
  const exact = numbers.filter((number) => copied[number] === text);
  const found = exact.length > 0 ? exact : numbers.filter((number) => canonical(copied[number] ?? '') === key);
  return found.map((number) => vocabulary.copy(number));
}

function textOf(action: NativeAction): string | undefined {
  if (action.type === 'type') return action.text;
  return action.type === 'finished' ? action.answer : undefined;
}

function withoutText(action: NativeAction): NativeAction {
  if (action.type === 'type') return { ...action, text: '' };
  return action.type === 'finished' ? { type: 'finished' } : action;
}
