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

/** Batched by answer length to save padding. */
export type QuestionSelection = 'places' | 'texts' | 'short';

/** In tokens, including function and end. */
const shortAction = 10;

export interface PerceptionTerms {
  selection: QuestionSelection;
  /** Pages with fewer questions repeat some; pages without any get weight 0. */
  questions: number;
  /** In tokens. Default: the model's limit. */
  longest?: number;
  /** Cells to read; three quarters show text. */
  places: number;
  hash: string;
  random: Random;
}

export function perceptionDatum(sample: PerceptionSample, terms: PerceptionTerms): NativeDatum {
  const { selection, questions, longest = longestAction, places, hash, random } = terms;
  const vocabulary = vocabularyOf(sample.size);
  const chosen = shuffled(sample.questions, random)
    .flatMap((question) => {
      const sequence = sequenceOf(question, vocabulary, selection, random);
      return sequence && sequence.action.length <= longest ? [{ question, sequence }] : [];
    })
    .slice(0, questions);
  const sequences = Array.from(
    { length: questions },
    (_, i) => chosen[i % Math.max(1, chosen.length)]?.sequence ?? nothing(vocabulary),
  );
  const after = { hash, pixels: sample.pixels, size: sample.size };
  const compares = chosen.some(({ question }) => question.kind === 'transition');
  const before = compares && sample.before && { hash: `${hash} before`, pixels: sample.before, size: sample.size };
  return {
    screenshots: before ? [before, after] : [after],
    sequences,
    glyphs: glyphLabels(vocabulary.grid, sample.glyphs, { limit: places, draw: (n) => random.int(n) }),
  };
}

function sequenceOf(
  { kind, instruction, thought, answer }: Question,
  vocabulary: Vocabulary,
  selection: QuestionSelection,
  random: Random,
): NativeSequence | undefined {
  const tokens = contextTokens(vocabulary, instruction, []);
  if (tokens.length > longestContext) return undefined;
  if (answer.type === 'point') {
    if (selection !== 'texts') return clickIn(vocabulary, tokens, answer.boxes, random);
    return thought === undefined ? undefined : clickIn(vocabulary, tokens, answer.boxes, random, thought);
  }
  if (selection === 'places' || (selection === 'short' && answer.type === 'text')) return undefined;
  const action =
    kind === 'read'
      ? vocabulary.quotation(answer.text)
      : vocabulary.encode(
          answer.type === 'text' ? { type: 'finished', answer: answer.text } : { type: 'type', text: answer.text },
        );
  return action.length > (selection === 'short' ? shortAction : longestAction) ? undefined : { tokens, action };
}

function nothing(vocabulary: Vocabulary): NativeSequence {
  const action = vocabulary.encode({ type: 'click', point: { x: 0.5, y: 0.5 } });
  return { tokens: contextTokens(vocabulary, 'find', []), action, weights: action.map(() => 0) };
}

function clickIn(
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

/** Returns cells centred in the box, else those that it touches. */
function cellsInside(grid: screenGrid.Grid, box: Box): number[] {
  const near = cellsAround(grid, box);
  const centred = near.filter((index) => {
    const x = ((index % grid.columns) + 0.5) * screenGrid.cell.width;
    const y = (Math.floor(index / grid.columns) + 0.5) * screenGrid.cell.height;
    return holds(box, { x, y });
  });
  if (centred.length > 0) return centred;
  const touched = near.filter((index) => offsetsInside(grid, index, box).length > 0);
  if (touched.length > 0) return touched;
  const { width, height } = grid.size;
  return [
    screenGrid.placeOf(grid, { x: share(box.x + box.width / 2, width), y: share(box.y + box.height / 2, height) }).cell,
  ];
}

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

function offsetsInside(grid: screenGrid.Grid, cell: number, box: Box): number[] {
  return Array.from({ length: screenGrid.offsets }, (_, offset) => offset).filter((offset) =>
    holds(box, screenGrid.middleOf(grid, { cell, offset })),
  );
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.int(i + 1);
    [out[i], out[j]] = [out[j] as T, out[i] as T];
  }
  return out;
}
