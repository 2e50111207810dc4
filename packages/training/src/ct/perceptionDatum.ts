import {
  type NativeDatum,
  type Random,
  type NativeSequence,
  type Vocabulary,
  contextTokens,
  glyphLabels,
  longestAction,
  longestContext,
  vocabularyOf,
  screenGrid,
} from '@gyre/engine';
import type { Box, PerceptionSample, Question } from '@gyre/tasks';

/**
 * What is asked of a page: where things are; what is to be said and typed, and where things are with a thought; or where things
 * are and short texts to type. Answers of one length go together: shorter ones would be padded.
 */
export type Asked = 'places' | 'texts' | 'short';

/** Most tokens of a short text to type, its function and end included. */
const shortAction = 10;

export interface PerceptionTerms {
  asked: Asked;
  /** How many questions; pages with fewer are asked some again, pages without any get questions of weight 0. */
  questions: number;
  /** Most tokens of an answer. Default: what fits the model. */
  longest?: number;
  /** Cells that are read, of which three quarters show text. */
  places: number;
  /** Names the screenshot. */
  hash: string;
  random: Random;
}

/** A rendered page with its labels as training data: where things are or what they say, and what is written in some cells. */
export function perceptionDatum(sample: PerceptionSample, terms: PerceptionTerms): NativeDatum {
  const { asked, questions, longest = longestAction, places, hash, random } = terms;
  const vocabulary = vocabularyOf(sample.size);
  const found = shuffled(sample.questions, random)
    .flatMap((question) => {
      const sequence = sequenceOf(question, vocabulary, asked, random);
      return sequence && sequence.action.length <= longest ? [{ question, sequence }] : [];
    })
    .slice(0, questions);
  const sequences = Array.from(
    { length: questions },
    (_, i) => found[i % Math.max(1, found.length)]?.sequence ?? nothing(vocabulary),
  );
  const after = { hash, pixels: sample.pixels, size: sample.size };
  // A second screenshot costs as much as the first.
  const compares = found.some(({ question }) => question.kind === 'transition');
  const before = compares && sample.before && { hash: `${hash} before`, pixels: sample.before, size: sample.size };
  return {
    screenshots: before ? [before, after] : [after],
    sequences,
    glyphs: glyphLabels(vocabulary.grid, sample.glyphs, { most: places, draw: (n) => random.int(n) }),
  };
}

/** A question as a decision to learn; undefined where it is of the other kind or does not fit the model. */
function sequenceOf(
  { kind, instruction, thought, answer }: Question,
  vocabulary: Vocabulary,
  asked: Asked,
  random: Random,
): NativeSequence | undefined {
  const tokens = contextTokens(vocabulary, instruction, []);
  if (tokens.length > longestContext) return undefined;
  if (answer.type === 'point') {
    if (asked !== 'texts') return clickIn(vocabulary, tokens, answer.boxes, random);
    // Thoughts make an answer as long as those that are said.
    return thought === undefined ? undefined : clickIn(vocabulary, tokens, answer.boxes, random, thought);
  }
  if (asked === 'places' || (asked === 'short' && answer.type === 'text')) return undefined;
  const action =
    kind === 'read'
      ? vocabulary.quotation(answer.text)
      : vocabulary.encode(
          answer.type === 'text' ? { type: 'finished', answer: answer.text } : { type: 'type', text: answer.text },
        );
  return action.length > (asked === 'short' ? shortAction : longestAction) ? undefined : { tokens, action };
}

/** A question of weight 0: it keeps the shape of a page without anything to ask. */
function nothing(vocabulary: Vocabulary): NativeSequence {
  const action = vocabulary.encode({ type: 'click', point: { x: 0.5, y: 0.5 } });
  return { tokens: contextTokens(vocabulary, 'find', []), action, weights: action.map(() => 0) };
}

/** A click anywhere in one of the boxes, in px: all cells in them are as good, and all places in the chosen screenGrid.cell. */
export function clickIn(
  vocabulary: Vocabulary,
  tokens: NativeSequence['tokens'],
  boxes: readonly Box[],
  random: Random,
  thought?: string,
): NativeSequence {
  const { grid } = vocabulary;
  const good = [...new Set(boxes.flatMap((box) => cellsInside(grid, box)))];
  const chosen = good[random.int(good.length)] ?? 0;
  const fine = [...new Set(boxes.flatMap((box) => offsetsInside(grid, chosen, box)))];
  const middle = screenGrid.offsets / 2;
  const places = fine.length > 0 ? fine : [middle];
  const head = vocabulary.encode({ type: 'click', point: { x: 0, y: 0 } }, thought).slice(0, -2);
  return {
    tokens,
    action: [...head, vocabulary.cell(chosen), vocabulary.offset(places[random.int(places.length)] ?? middle)],
    equals: [
      ...head.map(() => undefined),
      good.map((one) => vocabulary.cell(one)),
      places.map((one) => vocabulary.offset(one)),
    ],
  };
}

const holds = (box: Box, { x, y }: { x: number; y: number }): boolean =>
  x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;

/** Cells whose centre lies in a box of px; where there are none, those that hold a place of it, or its centre. */
function cellsInside(grid: screenGrid.Grid, box: Box): number[] {
  const near = cellsAround(grid, box);
  const centred = near.filter((at) => {
    const x = ((at % grid.columns) + 0.5) * screenGrid.cell.width;
    const y = (Math.floor(at / grid.columns) + 0.5) * screenGrid.cell.height;
    return holds(box, { x, y });
  });
  if (centred.length > 0) return centred;
  const touched = near.filter((at) => offsetsInside(grid, at, box).length > 0);
  if (touched.length > 0) return touched;
  const { width, height } = grid.size;
  return [
    screenGrid.placeOf(grid, { x: share(box.x + box.width / 2, width), y: share(box.y + box.height / 2, height) }).cell,
  ];
}

/** Cells that a box of px touches. */
function cellsAround(grid: screenGrid.Grid, box: Box): number[] {
  const left = Math.max(0, Math.floor(box.x / screenGrid.cell.width));
  const right = Math.min(grid.columns - 1, Math.floor((box.x + box.width) / screenGrid.cell.width));
  const top = Math.max(0, Math.floor(box.y / screenGrid.cell.height));
  const bottom = Math.min(grid.rows - 1, Math.floor((box.y + box.height) / screenGrid.cell.height));
  const out: number[] = [];
  for (let row = top; row <= bottom; row++) {
    for (let column = left; column <= right; column++) out.push(row * grid.columns + column);
  }
  return out;
}

const share = (px: number, of: number): number => Math.min(1, Math.max(0, px / of));

/** Places of a screenGrid.cell whose middle lies in a box of px. */
function offsetsInside(grid: screenGrid.Grid, at: number, box: Box): number[] {
  return Array.from({ length: screenGrid.offsets }, (_, offset) => offset).filter((offset) =>
    holds(box, screenGrid.middleOf(grid, { cell: at, offset })),
  );
}

function shuffled<T>(all: readonly T[], random: Random): T[] {
  const out = [...all];
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.int(i + 1);
    [out[i], out[j]] = [out[j] as T, out[i] as T];
  }
  return out;
}
