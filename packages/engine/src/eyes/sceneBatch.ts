import { GyreError, type Size } from '@gyre/protocol';
import { longestAction } from '../nano/architecture.js';
import { tokenClasses } from '../nano/grammar.js';
import { slotOf } from '../nano/layout.js';
import type { NativeDatum, NativeLoss, NativeSequence, Screenshot } from '../nano/nativeEngine.js';
import { textSize, type Vocabulary, vocabularyOf } from '../nano/vocabulary.js';
import { maxInstructionTokens } from './instruction.js';
import { maxPastTokens } from './pastTokens.js';
import { sceneFeeds, type SceneLengths } from './sceneFeeds.js';
import { maxScreenTokens } from './screenTokens.js';
import { SceneIndex } from './sceneIndex.js';
import { positionRows } from './sceneParameters.js';
import { type Scene, sceneOf } from './sceneTokens.js';
import { sceneGrid } from './screenGrid.js';
import type { SceneContext } from './scene.js';

/** Probability e^-64 is nothing in float32. */
const forbidden = -64;

const firstFunction = vocabularyOf({ width: 16, height: 16 }).ranges('function')[0]?.first ?? 0;

export interface BatchShape {
  readonly size: Size;
  readonly lengths: SceneLengths;
  /** Decoder steps; the first is `<act>`. */
  readonly steps: number;
}

const indexOf = ({ size, lengths }: BatchShape): SceneIndex => new SceneIndex(sceneGrid(size).cells, lengths);

/** One decision: its scene and, in training, what was decided. */
export interface SceneRow {
  readonly scene: Scene;
  readonly commands: boolean;
  readonly sequence?: NativeSequence;
  /** Tokens so far, while a turn is sampled. */
  readonly action: readonly number[];
}

export type Feeds = Record<string, Float32Array | Int32Array | Uint8Array>;

/** Throws 'bad_input' without a screenshot or context. */
export function sceneRow(
  {
    screenshots,
    scene: context,
    clock,
  }: {
    readonly screenshots: readonly Screenshot[];
    readonly scene?: SceneContext | undefined;
    readonly clock?: number | undefined;
  },
  action: readonly number[] = [],
): SceneRow {
  const screenshot = screenshots.at(-1);
  if (!screenshot || !context) {
    throw new GyreError('bad_input', 'a decision of a policy with a reader needs a screenshot and a scene', {
      field: screenshot ? 'scene' : 'screenshots',
      fix: 'build the input with nativeInput',
    });
  }
  return { scene: sceneOf(screenshot, context, clock), commands: context.commands ?? false, action };
}

export function rowsOf(datum: NativeDatum): SceneRow[] {
  return datum.sequences.map((sequence) => ({
    ...sceneRow({ ...datum, ...sequence }, sequence.action),
    sequence,
  }));
}

/** Lengths are rounded up to few combinations, cheapest first: compiling one costs as much as dozens of runs. */
const roundedLengths: readonly SceneLengths[] = [
  { instruction: 16, screen: 32, past: 4 },
  { instruction: 16, screen: 56, past: 8 },
  { instruction: 24, screen: 64, past: 16 },
  { instruction: 16, screen: 128, past: 8 },
  { instruction: 64, screen: 128, past: 16 },
  { instruction: 24, screen: 192, past: 16 },
  { instruction: maxInstructionTokens, screen: maxScreenTokens, past: maxPastTokens },
];
const largest = roundedLengths.at(-1)!;
const stepCounts = [1, 3, 8, longestAction];

/** Returns the padded shape of a decision: its screen size, numbers of tokens and steps. */
export function shapeOf({ scene, action }: SceneRow): BatchShape {
  const { instruction, screen, past } = scene;
  const fits = (lengths: SceneLengths): boolean =>
    instruction.length <= lengths.instruction && screen.length <= lengths.screen && past.length <= lengths.past;
  const steps = Math.max(1, action.length);
  return {
    size: scene.size,
    lengths: roundedLengths.find(fits) ?? largest,
    steps: stepCounts.find((count) => count >= steps) ?? longestAction,
  };
}

/** Pads rows into the inputs of the encoder. */
export function encoderFeeds(rows: readonly (SceneRow | undefined)[], { size, lengths }: BatchShape): Feeds {
  const scenes = rows.map((row) => row?.scene);
  return sceneFeeds(scenes, lengths, size);
}

/** Pads rows into the inputs of the decoder. */
export function decoderFeeds(rows: readonly (SceneRow | undefined)[], shape: BatchShape): Feeds {
  const n = rows.length;
  const { steps } = shape;
  const index = indexOf(shape);
  const references = index.size - textSize;
  const feeds = {
    tokens: new Int32Array(n * steps),
    referred: new Int32Array(n * steps),
    refers: new Float32Array(n * steps),
    positions: new Int32Array(n * steps),
  };
  for (const [i, row] of rows.entries()) {
    if (!row) continue;
    const { vocabulary } = row.scene;
    for (let t = 0; t < steps; t++) {
      const token = t === 0 ? vocabulary.act : row.action[t - 1];
      if (token === undefined) break;
      const slot = i * steps + t;
      feeds.positions[slot] = t === 0 ? 0 : positionOf(vocabulary, row.action, t - 1);
      const number = index.numberOf(vocabulary, token) ?? 0;
      if (number < textSize) feeds.tokens[slot] = number;
      else {
        feeds.refers[slot] = 1;
        feeds.referred[slot] = i * references + number - textSize;
      }
    }
  }
  return feeds;
}

/** Characters are counted within their text, so that the first one is always at the same position. */
function positionOf(vocabulary: Vocabulary, action: readonly number[], last: number): number {
  const slot = slotOf(vocabulary, action, last);
  return Math.min(positionRows - 1, slot === 0 ? 1 + Math.min(2, last) : 3 + slot);
}

/** Feeds the grammar, what was decided, and, with a loss, what it needs. */
export function decisionFeeds(
  rows: readonly (SceneRow | undefined)[],
  shape: BatchShape,
  loss?: { readonly loss: NativeLoss; readonly norm: number },
): Feeds {
  const { steps } = shape;
  const index = indexOf(shape);
  const references = index.size - textSize;
  const feeds = {
    classes: new Int32Array(rows.length * steps).fill(tokenClasses.indexOf('function')),
    actions: new Int32Array(rows.length * steps).fill(firstFunction),
    // By row, for all classes but that of keys, and for that.
    absent: new Float32Array(2 * rows.length * references).fill(forbidden),
    absences: new Int32Array(rows.length * steps),
  };
  for (const [i, row] of rows.entries()) {
    if (!row) continue;
    const { scene, action, commands } = row;
    feeds.absences.fill(2 * i, i * steps, (i + 1) * steps);
    for (const tokenClass of ['point', 'textStart', 'keysStart'] as const) {
      const absence = 2 * i + (tokenClass === 'keysStart' ? 1 : 0);
      for (const { first, last } of scene.vocabulary.ranges(tokenClass)) {
        for (let token = first; token <= last; token++) {
          const number = index.numberOf(scene.vocabulary, token) ?? 0;
          if (number >= textSize) feeds.absent[absence * references + number - textSize] = 0;
        }
      }
    }
    for (const [t, token] of action.slice(0, steps).entries()) {
      const tokenClass = scene.vocabulary.next(action.slice(0, t), commands);
      const number = index.numberOf(scene.vocabulary, token);
      if (!tokenClass || number === undefined || !scene.vocabulary.allows(tokenClass, token)) {
        throw new GyreError('bad_input', `token ${token} is not allowed at position ${t} of an action`, {
          field: 'action',
        });
      }
      feeds.classes[i * steps + t] = tokenClasses.indexOf(tokenClass);
      if (tokenClass === 'keysStart') feeds.absences[i * steps + t] = 2 * i + 1;
      feeds.actions[i * steps + t] = number;
    }
  }
  return loss ? { ...feeds, ...lossFeeds(rows, shape, index, loss) } : feeds;
}

function lossFeeds(
  rows: readonly (SceneRow | undefined)[],
  { steps }: BatchShape,
  index: SceneIndex,
  { loss, norm }: { readonly loss: NativeLoss; readonly norm: number },
): Feeds {
  const perStep = (value: (sequence: NativeSequence, t: number) => number): Float32Array =>
    Float32Array.from({ length: rows.length * steps }, (_, i) => {
      const sequence = rows[Math.floor(i / steps)]?.sequence;
      return sequence && i % steps < sequence.action.length ? value(sequence, i % steps) : 0;
    });
  const weights = perStep(({ weights }, t) => (weights?.[t] ?? 1) / norm);
  if (loss.name === 'ppo') {
    return {
      weights,
      advantages: perStep(({ advantages }, t) => advantages?.[t] ?? 0),
      oldLogprobs: perStep(({ logprobs }, t) => logprobs?.[t] ?? 0),
    };
  }
  const accepted = new Float32Array(rows.length * steps * index.size);
  for (const [i, row] of rows.entries()) {
    for (const [t, token] of row?.action.slice(0, steps).entries() ?? []) {
      const equals = row?.sequence?.equals?.[t];
      for (const equal of equals?.length ? equals : [token]) {
        const number = row && index.numberOf(row.scene.vocabulary, equal);
        if (number !== undefined) accepted[(i * steps + t) * index.size + number] = 1;
      }
    }
  }
  return { weights, accepted };
}

/** Feeds what a critic learns. */
export function valueFeeds(rows: readonly (SceneRow | undefined)[], norm: number): Feeds {
  const each = (value: (sequence: NativeSequence) => number): Float32Array =>
    Float32Array.from(rows, (row) => (row?.sequence ? value(row.sequence) : 0));
  return {
    returns: each((sequence) => sequence.return ?? 0),
    oldValues: each(({ value = 0 }) => value),
    weights: each(({ weights }) => (weights?.[0] ?? 1) / norm),
  };
}
